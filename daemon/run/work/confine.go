package work

import (
	"path/filepath"

	"autopilot/daemon/agent"
	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// confine plans the agent's access in an iteration.
func (t *turn) confine(env []string, socket string) *confine.Plan {
	p, id := t.p, t.start.Effect
	return t.w.cfg.Sandbox.Plan(sandbox.Request{
		Mode: t.sandbox(), Allow: p.Spec.SandboxAllow, Env: env, Work: p.Repo.Workspace().Path,
		Agent: t.by.Spec.Profile, Show: []string{t.w.box(id), filepath.Dir(socket)},
	})
}

// sandbox is the mode of the turn: a role only reads, unless the run confines nothing.
func (t *turn) sandbox() events.Sandbox {
	if t.looks && t.p.Spec.Sandbox != events.SandboxOff {
		return events.SandboxReadOnly
	}
	return t.p.Spec.Sandbox
}

// confinement is how strictly gates are confined.
type confinement struct {
	mode  events.Sandbox
	allow []string
	work  string // the work tree
}

// confineGate plans a gate's access: its work tree or checkout, its HOME, and the caches
// of the work tree. It may read compiler output shared by all work trees.
func (w *Worker) confineGate(c confinement, l gate.Launch, id string) *confine.Plan {
	own := []string{w.box(id)}
	for _, dir := range []string{l.With.Cache, l.With.Base} {
		if dir != "" {
			own = append(own, dir)
		}
	}
	if l.With.Cache == "" {
		own = append(own, filepath.Join(w.cfg.State, cachesName))
	}
	// Both are the daemon's places, except for a gate tried in the user's own
	// environment.
	for _, dir := range []string{l.Dir, agent.Lookup(l.Env, "HOME")} {
		if sandbox.Within(w.cfg.State, dir) {
			own = append(own, dir)
		}
	}
	plan := w.cfg.Sandbox.Plan(sandbox.Request{
		Mode: c.mode, Allow: c.allow, Env: l.Env, Work: c.work, Show: own, Write: []string{l.Dir}, Keep: l.With.Base, Gate: true,
	})
	if len(l.Layers) > 0 {
		if plan == nil { // without a sandbox there are only layers
			plan = &confine.Plan{}
		}
		plan.Layers = l.Layers
	}
	return plan
}

// confine plans a gate's access at its present place.
func (g *judgement) confine(within confinement, l gate.Launch, id string) *confine.Plan {
	if g.sealed != nil {
		return g.sealed.plan(within, l, id)
	}
	return g.w.confineGate(within, l, id)
}

// lacking translates the supervisor's words into those of events.
func lacking(words []string) []events.Name {
	var out []events.Name
	for _, word := range words {
		out = append(out, events.Name(word))
	}
	return out
}
