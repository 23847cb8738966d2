package omx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// writeAutopilot writes a state of autopilot.
func writeAutopilot(stored, given Object, w World, p Profile) (Result, error) {
	if Phase(stored.Text("current_phase")) == Cleared && stored.False("active") {
		stored = Object{} // a mark that a state was cleared: nothing is left of it
	}
	stored = honest(stored)
	if len(stored) > 0 {
		stored = stored.Set("mode", "autopilot") // the release leaves it out, and then sees no phase
	}
	next := over(stored, given).Set("mode", "autopilot").Set("workingDirectory", w.Dir)
	if w.Session != "" {
		next = next.Set("session_id", w.Session)
	}
	if p == Advisory {
		return advised(stored, next, w)
	}
	for _, name := range []string{"completed_at", "skipped_gates", "completion_status"} { // they are noted here
		next = keep(next, stored, name)
	}
	if given.Null("active") {
		next = keep(next, stored, "active")
	}
	next, err := phased(next)
	if err != nil {
		return Result{}, err
	}
	if err := disputed(next, given, stored); err != nil {
		return Result{}, err
	}
	if stored.True("active") && Phase(stored.Text("current_phase")) == Waiting {
		if err := waits(stored, next, w); err != nil {
			return Result{}, err
		}
	}
	m := newMove(stored, next, w, p)
	switch {
	case len(stored) == 0:
		return m.begin(given)
	case !stored.True("active"):
		return m.again(given)
	}
	return m.goOn(given)
}

// keep has a member as it is stored, also if it is not.
func keep(o, stored Object, name string) Object {
	if !stored.Has(name) {
		return o.Without(name)
	}
	return o.put(name, stored.Raw(name))
}

// honest is a stored state in which a spent budget is no completion: the notifier of
// the release writes it so (quirk Q36).
func honest(o Object) Object {
	if Phase(o.Text("current_phase")) == Complete && o.Text("stop_reason") == "max_iterations_reached" {
		return o.Set("current_phase", Exhausted).Set("run_outcome", ending[Exhausted][0]).Set("lifecycle_outcome", ending[Exhausted][1])
	}
	return o
}

// advised does what the release does: it counts nothing, and names what was skipped.
func advised(stored, next Object, w World) (Result, error) {
	next, err := outcome(next, w.now())
	if err != nil {
		return Result{}, err
	}
	m := newMove(stored, next, w, Advisory)
	next = cleanEnd(m, next)
	g, err := m.gap()
	if err != nil {
		return Result{}, err
	}
	if g != nil {
		next = skipped(next, g)
	}
	if m.finish && len(next.List("skipped_gates")) > 0 {
		next = next.Set("completion_status", "complete-with-skipped-gates")
	}
	r := Result{State: stamp(next, stored, "autopilot", w), Advisory: g}
	if next.True("active") {
		r.Completes = Completes("autopilot", w.Active)
	}
	return r, nil
}

// skipped notes a gate, each once.
func skipped(o Object, g *Gap) Object {
	all := []Object{}
	for _, v := range o.List("skipped_gates") {
		e, err := Parse(v)
		if err != nil || e.Text("skippedGate") == "" {
			continue
		}
		if e.Text("skippedGate") == g.Gate {
			return o
		}
		all = append(all, e)
	}
	all = append(all, Object{}.Set("skippedGate", g.Gate).Set("missingEvidence", g.Missing).Set("message", g.Message))
	return o.Set("skipped_gates", all)
}

// cleanEnd hands the verdicts of a clean end over, and drops the reason of the last
// return.
func cleanEnd(m move, o Object) Object {
	if !m.finish || cleanReview(o, m.w, m.p) != nil || cleanQA(o, m.w, m.p) != nil || apart(o) != nil {
		return o
	}
	h := o.Sub("handoff_artifacts").put("code_review", o.Raw("review_verdict")).put(QA, o.Raw("qa_verdict"))
	return o.Set("handoff_artifacts", h).Set("return_to_ralplan_reason", nil)
}

// phased has the phase under its own name; an unknown one is refused (the release takes
// it). A first write that names none begins at the interview.
func phased(o Object) (Object, error) {
	if o.Null("current_phase") {
		return o.Set("current_phase", Interview), nil
	}
	s, is := textOf(o.Raw("current_phase"))
	p := Phase(s)
	if !is || p == "" {
		return nil, fmt.Errorf("current_phase %s is none; the phases are %s", short(o.Raw("current_phase")),
			strings.Join(slices.Concat([]string{Interview, Plan, Goal, Team, Ralph, Review, QA, Waiting}, ends), ", "))
	}
	return o.Set("current_phase", p), nil
}

// disputed refuses a state that contradicts itself: at work and not active, ended and
// active, or of another outcome than its phase (lesson O4; quirk 3 of 0.21.6).
func disputed(next, given, stored Object) error {
	phase := next.Text("current_phase")
	end := slices.Contains(ends, phase)
	switch {
	case end && next.True("active"):
		return fmt.Errorf("the phase %s is an end, so active has to be false", phase)
	case end && !next.False("active"):
		return fmt.Errorf("the phase %s is an end: write active false with it", phase)
	case !end && next.False("active"):
		return fmt.Errorf("active is false and the phase %s is at work: say how it ended, as current_phase cancelled or failed", phase)
	case !next.Null("active") && !next.True("active") && !next.False("active"):
		return fmt.Errorf("active has to be true or false, and not %s", short(next.Raw("active")))
	case phase == Cleared:
		return errors.New("the phase cleared is that of a state that was cleared: apctl compat omx state clear")
	}
	if err := sameEnd(next, phase, end); err != nil {
		return err
	}
	for _, name := range []string{"iteration", "review_cycle", "max_iterations"} {
		if _, _, err := next.Count(name); err != nil {
			return err
		}
	}
	if n, there, _ := next.Count("max_iterations"); there && n == 0 {
		return errors.New("max_iterations has to be 1 or more")
	}
	for _, name := range []string{"deep_interview_gate", gateOfConsensus, "review_verdict", "qa_verdict", "ralplan_execution_handoff"} {
		if v := given.Raw(name); v.Kind() != 'n' && v.Kind() != '{' {
			return fmt.Errorf("%s has to be an object, and not %s", name, short(v))
		}
	}
	return bounded(stored, next)
}

// sameEnd refuses an outcome that is another one than that of the phase.
func sameEnd(o Object, phase string, end bool) error {
	run, err := word(o, "run_outcome", runWords, runOutcomes)
	if err != nil {
		return err
	}
	life, err := word(o, "lifecycle_outcome", lifeWords, lifecycles)
	if err == nil && life == "" {
		life, err = word(o, "terminal_outcome", lifeWords, lifecycles)
	}
	if err != nil {
		return err
	}
	if life != "" {
		run = runOfLife[life]
	}
	_, isEnd := lifeOfRun[run]
	switch {
	case run == "" || phase == Waiting && run == "blocked_on_user":
		return nil
	case !end && isEnd:
		return fmt.Errorf("the outcome %s is an end and the phase %s is at work: write the end as current_phase", run, phase)
	case end:
		if want, _ := inferred(Object{}.Set("current_phase", phase)); want != run {
			return fmt.Errorf("the outcome %s is not that of the phase %s, which is %s", run, phase, want)
		}
	}
	return nil
}

// waits refuses a write while a question is open, but its end: it would be lost (as it
// is in the release).
func waits(stored, next Object, w World) error {
	q := stored.Sub("deep_interview_question")
	phase := next.Text("current_phase")
	if slices.Contains(ends, phase) && phase != Complete {
		return nil
	}
	answer := next.Sub("deep_interview_question")
	if back := Phase(q.Text("previous_phase")); phase != back || answer.Text("obligation_id") != q.Text("obligation_id") {
		return fmt.Errorf("the question %q is open: a person answers it first, then autopilot goes on in %s", cut(q.Text("obligation_id")), back)
	}
	switch strings.ToLower(answer.Text("status")) {
	case "satisfied":
		if r := w.question(answer.Text("question_id")); !r.Answered || r.Session == "" || r.Session != w.Session {
			return fmt.Errorf("the question %q has no answered record of this session", cut(answer.Text("question_id")))
		}
		return nil
	case "cleared":
		if slices.Contains([]string{"handoff", "abort", "error"}, answer.Text("clear_reason")) {
			return nil
		}
		return errors.New("a question is cleared with clear_reason handoff, abort or error")
	}
	return fmt.Errorf("the question %q is open: a person answers it first", cut(q.Text("obligation_id")))
}
