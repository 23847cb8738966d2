package api

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"

	"autopilot/daemon/agent"
	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/events/wire"
)

// AgentList lists the agents of a workspace and what is installed of them here. It looks
// at all agents in parallel.
func (a *Projects) AgentList(ctx context.Context, _ auth.Request, body wire.AgentRequest) (wire.AgentsView, error) {
	c, err := a.agentSettings(ctx, body.Workspace)
	if err != nil {
		return wire.AgentsView{}, err
	}
	agents := c.agents
	names := agents.Names()
	if body.Name != "" {
		names = []string{body.Name}
	}
	look := agent.Look{
		Dir: body.Workspace, Env: work.AgentEnv(body.Env), Home: a.Home, Gates: c.gates, Root: os.Geteuid() == 0,
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
	return wire.AgentsView{Agents: views, Untrusted: c.untrusted}, ctx.Err()
}

// agentConfig holds what the configuration of a directory says of agents.
type agentConfig struct {
	layers    config.Layers
	agents    agent.Overrides
	gates     []string // commands
	untrusted string   // path of the project's file, where a run would not use it
}

// agentSettings reads the configuration as a run would: it uses the project's file only
// after a person agreed to it.
func (a *Projects) agentSettings(ctx context.Context, dir string) (agentConfig, error) {
	var c agentConfig
	ws, err := tree.Find(ctx, dir)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return c, work.NoWorkspace(dir, err)
	}
	l := a.Layers(ws, nil)
	if l.Project != nil && l.Project.Exists {
		err := a.Trust.Check(ws, l.Project.File)
		var known *wire.Error
		switch {
		case errors.As(err, &known) && known.Code == wire.NeedsPerson:
			c.untrusted, l.Project = l.Project.Path, nil
		case err != nil:
			return c, err
		}
	}
	if err := l.Err(); err != nil {
		return c, config.Unusable(err)
	}
	c.layers, c.agents = l, l.Agents()
	if l.Project != nil {
		for _, g := range l.Project.Gates {
			c.gates = append(c.gates, g.Value.Run)
		}
	}
	return c, nil
}
