package work

import (
	"path/filepath"

	"autopilot/daemon/agent"
	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// confine is what the agent of an iteration may touch.
func (t *turn) confine(env []string, socket string) *confine.Plan {
	p, id := t.p, t.start.Effect
	return t.w.cfg.Sandbox.Plan(sandbox.Request{
		Mode: t.sandbox(), Allow: p.Spec.SandboxAllow, Env: env, Work: p.Repo.Workspace().Path,
		Agent: t.by.Spec.Profile, Show: []string{t.w.box(id), filepath.Dir(socket)},
	})
}

// sandbox is the mode of the turn: a role only reads, unless nothing is to be
// confined at all.
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

// confineGate is what a gate may touch: beside its work tree, or the checkout that it
// runs in, its HOME and the caches of the work tree. What compilers have made for all
// work trees it reads.
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
	// Both are places of ours, but for a gate that is tried in the user's own
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
		if plan == nil { // without a sandbox the layers are all of it
			plan = &confine.Plan{}
		}
		plan.Layers = l.Layers
	}
	return plan
}

// confine is what a gate may touch where it runs now.
func (g *judgement) confine(within confinement, l gate.Launch, id string) *confine.Plan {
	if g.sealed != nil {
		return g.sealed.plan(within, l, id)
	}
	return g.w.confineGate(within, l, id)
}

// lacking puts the words of the supervisor into those of events.
func lacking(words []string) []events.Name {
	var out []events.Name
	for _, word := range words {
		out = append(out, events.Name(word))
	}
	return out
}
