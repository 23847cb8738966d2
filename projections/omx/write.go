package omx

import (
	"errors"
	"fmt"
	"slices"
)

// callers are the members of a call that say which state is meant.
var callers = []string{"mode", "workingDirectory", "session_id", "state"}

// Flatten lifts what the hook of the release nests in "state" to the top, where writes
// put it: there is one layout. What is at the top already stays.
func Flatten(o Object) Object {
	nested := o.Sub("state")
	if nested == nil {
		return o
	}
	flat := o.Without("state")
	for _, m := range nested {
		if m.Name == "handoff_artifacts" && m.Value.Kind() == '{' && flat.Raw(m.Name).Kind() == '{' {
			flat = flat.Set(m.Name, nested.Sub(m.Name).Merge(flat.Sub(m.Name)))
		} else if !flat.Has(m.Name) && !slices.Contains(callers, m.Name) {
			flat = append(flat, m)
		}
	}
	return flat
}

// Write is what a call makes of a stored state, or why it is refused. The stored state
// is empty where there is no file. The mode is in the call.
//
// Source: oh-my-codex 0.21.6, state write: stored, then fields, then members of state.
func Write(stored, call Object, w World, p Profile) (Result, error) {
	mode := call.Text("mode")
	check := CheckMode
	if p == Advisory {
		check = CheckName // the release writes any mode
	}
	if err := check(mode); err != nil {
		return Result{}, err
	}
	if err := carriers(stored, "the stored state"); err != nil {
		return Result{}, err
	}
	stored = Flatten(stored)
	given, err := given(call)
	if err != nil {
		return Result{}, err
	}
	if mode == SkillActive {
		return Result{State: stored.Merge(given)}, nil
	}
	if err := identity(call, given, w); err != nil {
		return Result{}, err
	}
	if mode == "autopilot" {
		return writeAutopilot(stored, given, w, p)
	}
	return writeMode(mode, stored, given, w, p)
}

// given are the members that a call sets.
func given(call Object) (Object, error) {
	if v := call.Raw("state"); v.Kind() != '{' && v.Kind() != 'n' {
		return nil, fmt.Errorf("state has to be an object, and not %s", short(v))
	}
	nested := call.Sub("state")
	if nested.Has("state") {
		return nil, errors.New("state has a member state: its members belong one level up")
	}
	if err := carriers(call, "this write"); err != nil {
		return nil, err
	}
	fields := call.Without(callers...)
	for _, m := range nested {
		if m.Name == "handoff_artifacts" && m.Value.Kind() == '{' {
			fields = fields.Set(m.Name, fields.Sub(m.Name).Merge(nested.Sub(m.Name)))
		} else if m.Name != "handoff_artifacts" {
			fields = fields.put(m.Name, m.Value)
		}
	}
	if fields.Has(own) {
		return nil, fmt.Errorf("the member %s is this program's own: leave it out", own)
	}
	if alias := fields.Raw("currentPhase"); fields.Has("currentPhase") {
		if !fields.Has("current_phase") {
			fields = fields.put("current_phase", alias)
		}
		fields = fields.Without("currentPhase")
	}
	return fields.Without("trustedPipelineProgress"), nil
}

// identity refuses a write for another session, directory or mode than the one whose
// file is written (lesson O10).
func identity(call, given Object, w World) error {
	if s := given.Text("session_id"); s != "" && s != w.Session {
		return fmt.Errorf("session_id %q in state is not that of the session whose state is written", cut(s))
	}
	if d := given.Text("workingDirectory"); d != "" && d != w.Dir {
		return fmt.Errorf("workingDirectory %q in state is not the directory whose state is written", cut(d))
	}
	if m := given.Text("mode"); m != "" && m != call.Text("mode") {
		return fmt.Errorf("mode %q in state is not the mode that is written", cut(m))
	}
	return nil
}

// over is the stored state with what a call sets over it. An outcome is that of the
// write that says it; hand-overs are merged one by one.
func over(stored, given Object) Object {
	next := stored.Without("run_outcome", "lifecycle_outcome", "terminal_outcome").Merge(given.Without("session_id", "workingDirectory", "mode"))
	if h := given.Sub("handoff_artifacts"); h != nil {
		next = next.Set("handoff_artifacts", stored.Sub("handoff_artifacts").Merge(h))
	} else if given.Null("handoff_artifacts") && stored.Has("handoff_artifacts") {
		next = next.put("handoff_artifacts", stored.Raw("handoff_artifacts"))
	}
	return next
}

// stamp is what each state says of itself, and of the pane that it was begun in.
func stamp(o, stored Object, mode string, w World) Object {
	o = o.Set("mode", mode)
	if w.Session != "" {
		o = o.Set("session_id", w.Session)
	}
	if o.True("active") && (!stored.True("active") || o.Text("tmux_pane_id") == "") && w.Pane != "" {
		o = o.Set("tmux_pane_id", w.Pane)
		if o.Text("tmux_pane_set_at") == "" {
			o = o.Set("tmux_pane_set_at", w.now())
		}
	}
	return o.Set("updated_at", w.now())
}

// writeMode writes a state of a mode that is not autopilot.
func writeMode(mode string, stored, given Object, w World, p Profile) (Result, error) {
	next := over(stored, given).Set("mode", mode)
	var err error
	if mode == "ralph" {
		if w.Session != "" && next.Text("owner_omx_session_id") == "" {
			next = next.Set("owner_omx_session_id", w.Session)
		}
		if next, err = ralph(next, w.now()); err != nil {
			return Result{}, err
		}
	}
	if p == Strict {
		if err = settled(stored, next); err != nil {
			return Result{}, err
		}
		if g := modeGap(mode, next, w); g != nil {
			return Result{}, g
		}
	} else if mode == "ralph" && next.Text("current_phase") == Complete {
		if g := audited(next, w); g != nil { // the release refuses this too
			return Result{}, g
		}
	}
	if next, err = outcome(next, w.now()); err != nil {
		return Result{}, err
	}
	r := Result{State: stamp(next, stored, mode, w)}
	if next.True("active") {
		if begins := !stored.True("active"); begins && p == Strict {
			if err := w.beside(mode); err != nil {
				return Result{}, err
			}
		}
		r.Completes = Completes(mode, w.Active)
	}
	return r, nil
}

// settled refuses a state that is not active and yet at work, and a budget that grows:
// the release takes the first for the end.
func settled(stored, next Object) error {
	phase := next.Text("current_phase")
	if next.False("active") && phase != "" && !ended(phase) && next.Null("run_outcome") && next.Null("lifecycle_outcome") && next.Null("terminal_outcome") {
		return fmt.Errorf("active is false and the phase %q is at work: say how it ended, as current_phase cancelled or failed", cut(phase))
	}
	for _, name := range []string{"iteration", "max_iterations", "review_cycle"} {
		if _, _, err := next.Count(name); err != nil {
			return err
		}
	}
	if n, there, _ := next.Count("max_iterations"); there && n == 0 {
		return errors.New("max_iterations has to be 1 or more")
	}
	return bounded(stored, next)
}

// Sound refuses a state of autopilot that contradicts itself: an unknown phase, an end
// that is active, work that is not. It asks for no evidence: a state that comes from the
// record of the daemon has its proof there.
func Sound(o Object) error {
	next, err := phased(o)
	if err != nil {
		return err
	}
	return disputed(next, next, Object{})
}

func bounded(stored, next Object) error {
	before, there, err := stored.Count("max_iterations")
	if after := next.count("max_iterations"); err == nil && there && (stored.True("active") || stored.Text("mode") == "autopilot") && after > before {
		return fmt.Errorf("max_iterations is %d and cannot grow to %d in the same run", before, after)
	}
	return nil
}

// modeGap is what a mode lacks that is written as complete.
func modeGap(mode string, o Object, w World) *Gap {
	if phaseText(o.Text("current_phase")) != Complete {
		return nil
	}
	switch mode {
	case "ralph":
		return audited(o, w)
	case Plan:
		lacks := func(missing string) *Gap {
			return gap("ralplan-handoff", missing, "architect and critic have not approved the plan")
		}
		g := consensusOf(o)
		if !g.True("complete") {
			return lacks("complete: true in " + gateOfConsensus)
		}
		return reviewed(o.Set("session_id", w.Session), g, w, Strict, lacks)
	}
	return nil
}
