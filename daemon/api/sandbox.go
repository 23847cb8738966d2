package api

import (
	"context"
	"os"
	"slices"

	"autopilot/daemon/agent"
	"autopilot/daemon/auth"
	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
)

// AgentSandbox shows what a command may touch in a workspace as the agent of a run there.
func (a *Projects) AgentSandbox(ctx context.Context, _ auth.Request, body wire.SandboxRequest) (wire.SandboxView, error) {
	ws, err := a.Worker.Workspace(ctx, body.Workspace)
	if err != nil {
		return wire.SandboxView{}, err
	}
	c, err := a.agentSettings(ctx, body.Workspace)
	if err != nil {
		return wire.SandboxView{}, err
	}
	mode, allow, err := c.layers.Sandbox()
	if body.Mode != "" {
		mode, err = body.Mode, nil
	}
	if err != nil {
		return wire.SandboxView{}, err
	}
	if !slices.Contains(events.Sandboxes(), mode) {
		return wire.SandboxView{}, wire.Errorf(wire.Usage, "sandbox %q is not known", mode).WithHint("--mode off, guard, workspace or readonly")
	}
	env := work.AgentEnv(body.Env)
	v := wire.SandboxView{
		Mode: mode, Workspace: ws.Path, Argv: body.Argv, Allowed: append([]string{}, allow...), Lacking: []wire.LackView{},
		Shim: a.Effects.Supervisor(), Untrusted: c.untrusted,
	}
	if len(body.Argv) > 0 {
		if v.Program, err = agent.LookPath(body.Argv[0], agent.Lookup(env, "PATH"), body.Workspace); err != nil {
			v.Program, v.Problem = "", err.Error()
		}
	}
	showPlan(&v, a.Sandbox.Plan(sandbox.Request{Mode: mode, Allow: allow, Env: env, Work: ws.Path, Agent: body.Agent}))
	if mode == events.SandboxOff {
		return v, nil
	}
	lacking, err := a.unenforced()
	for _, l := range lacking {
		if l.Word != confine.Landlock || v.Restricted {
			v.Lacking = append(v.Lacking, wire.LackView{What: l.Word, Why: l.Why})
		}
	}
	return v, err
}

// showPlan fills in the view from a plan, which is nil without confinement.
func showPlan(v *wire.SandboxView, p *confine.Plan) {
	if p == nil {
		p = &confine.Plan{}
	}
	v.Hidden, v.Emptied, v.Shown = existing(p.Hide), existing(p.Empty), existing(p.Show)
	v.ReadOnly, v.Fixed, v.Restricted, v.Writable = existing(p.ReadOnly), existing(p.Fixed), p.Strict, existing(p.Write)
}

func existing(paths []string) []string {
	out := []string{}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}
