package daemon

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"

	"autopilot/daemon/agent"
	"autopilot/daemon/bus"
	"autopilot/daemon/work"
	"autopilot/events/wire"
)

// agentList says which agents there are for a workspace, and what of them is
// here. Each is looked at beside the others.
func (d *Daemon) agentList(ctx context.Context, _ bus.Request, body wire.AgentRequest) (wire.AgentsView, error) {
	agents, gates, err := d.agentSettings(ctx, body.Workspace)
	if err != nil {
		return wire.AgentsView{}, err
	}
	names := agents.Names()
	if body.Name != "" {
		names = []string{body.Name}
	}
	look := agent.Look{
		Dir: body.Workspace, Env: work.AgentEnv(body.Env), Home: d.cfg.Home, Gates: gates, Root: os.Geteuid() == 0,
		Slots: make(chan struct{}, runtime.NumCPU()),
	}
	views := make([]wire.AgentView, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		profile, err := agents.Find(name)
		var e *agent.ProfileError
		switch {
		case err == nil:
			wait.Go(func() { views[i] = profile.View(ctx, look, body.Check) })
		case errors.As(err, &e) && body.Name != "" && !agents.Has(name):
			return wire.AgentsView{}, wire.Errorf(wire.NotFound, "%s", e.Msg).WithHint("%s", e.Fix)
		case errors.As(err, &e):
			views[i] = wire.AgentView{
				Name: name, Origin: agents[name].Origin, Argv: []string{}, Prompt: string(agent.PromptStdin),
				Problems: []string{e.Msg + ": " + e.Fix},
			}
		default:
			return wire.AgentsView{}, err
		}
	}
	wait.Wait()
	return wire.AgentsView{Agents: views}, ctx.Err()
}

// agentSettings is what the configuration of a workspace says of agents, and
// the commands of its gates.
func (d *Daemon) agentSettings(context.Context, string) (agent.Overrides, []string, error) {
	return nil, nil, nil
}
