package omx

import (
	"errors"
	"fmt"
	"slices"
)

// begin is the first write of a run.
func (m move) begin(given Object) (Result, error) {
	if !m.next.True("active") && !m.next.Null("active") {
		return Result{}, m.notEnded()
	}
	if err := m.w.beside("autopilot"); err != nil {
		return Result{}, err
	}
	m.next = filled(counters(m.next.Set("active", true), m.was), m.w)
	m.to = Child(m.next)
	if m.to == "" {
		return Result{}, fmt.Errorf("autopilot does not begin in the phase %s: it begins in %s", m.next.Text("current_phase"), Interview)
	}
	if path := snapshotOf(m.next); path != "" && !m.w.file(path).There {
		return Result{}, fmt.Errorf("the context snapshot %q is not there: write it first, or leave context_snapshot_path out and it is made", cut(path))
	}
	if g := m.entered(m.to); g != nil {
		return Result{}, g
	}
	if err := counted(given, m.next); err != nil {
		return Result{}, err
	}
	m.next = m.bind()
	return m.done()
}

// notEnded is why a state that is not there cannot end.
func (m move) notEnded() error {
	if m.next.Text("current_phase") == Complete {
		return gap("autopilot-phase", "a phase that is known, in the stored state", "autopilot would end from no phase")
	}
	return errors.New("there is no run of autopilot here that could end")
}

// again writes over a run that has ended: what is said of it may be added, and it goes
// on by its phase. A complete one is only reported.
//
// Source: oh-my-codex, seeds 4.1.2, resume table.
func (m move) again(given Object) (Result, error) {
	was := Phase(m.was.Text("current_phase"))
	if !m.next.True("active") {
		if to := m.next.Text("current_phase"); to == Complete && was != Complete {
			return Result{}, m.notEnded()
		} else if to != was && slices.Contains(ends, was) {
			return Result{}, fmt.Errorf("the run has ended as %s, and does not end again as %s", was, to)
		}
		if err := m.proven(was); err != nil {
			return Result{}, err
		}
		m.next = counters(m.next, m.was)
		if err := counted(given, m.next); err != nil {
			return Result{}, err
		}
		return m.done()
	}
	switch was {
	case Complete:
		return Result{}, errors.New("the run is complete, and is not begun anew: start the next one with apctl compat omx autopilot start --task TEXT")
	case Exhausted:
		return Result{}, errors.New("the budget of the run is spent: start another one with apctl compat omx autopilot start --task TEXT")
	case Halted:
		all := ways(m.was)
		if m.to != Plan || len(all) > 0 && all[len(all)-1].Plan == fingerprint(m.next, m.w) {
			return Result{}, errors.New("the run is halted, as the same finding came three times: it goes on in ralplan with another plan")
		}
	}
	if err := m.w.beside("autopilot"); err != nil {
		return Result{}, err
	}
	if m.to == "" {
		return Result{}, fmt.Errorf("the run does not go on in the phase %s", m.next.Text("current_phase"))
	}
	if g := m.entered(m.to); g != nil {
		return Result{}, g
	}
	m.next = filled(counters(m.next.Without("completed_at", "stop_reason", "completion_status"), m.was), m.w)
	if err := counted(given, m.next); err != nil {
		return Result{}, err
	}
	m.next = m.bind()
	return m.done()
}

// proof are the members that a complete run stands on.
var proof = []string{
	"deep_interview_gate", gateOfConsensus, "ralplan_execution_handoff", "handoff_artifacts", "review_verdict", "qa_verdict",
	"return_to_ralplan_reason", "max_iterations", "phase_cycle", "stop_reason", "skipped_gates", "completion_status",
}

// proven refuses a write that changes what a complete run stands on.
func (m move) proven(was string) error {
	for _, name := range proof {
		if was == Complete && !equal(m.next, m.was, name) {
			return fmt.Errorf("the run is complete, and %s is what it stands on: it does not change", name)
		}
	}
	return nil
}

// goOn is a write of a run that is active.
func (m move) goOn(given Object) (Result, error) {
	m.next = filled(counters(m.next, m.was), m.w)
	if m.next.Text("current_phase") == Waiting {
		return m.waiting(given)
	}
	if !m.finish {
		m.next = m.fresh(given)
	}
	if m.finish && m.next.Text("current_phase") != Complete {
		m.finish = false
	}
	m.next = m.bind()
	g, err := m.gap()
	if err != nil {
		return Result{}, err
	}
	if m.from == "" && m.to != "" { // the stored phase is none that is known
		g = m.entered(m.to)
	}
	if g != nil {
		return Result{}, g
	}
	var stop *Stop
	switch {
	case m.to == Plan && (m.from == Review || m.from == QA):
		if !given.Has("return_to_ralplan_reason") {
			return Result{}, gap("return-to-ralplan", "the finding, verbatim, in return_to_ralplan_reason", "autopilot goes back to ralplan only with a reason")
		}
		m.next, stop = m.back()
	case m.from == Review && m.to == QA:
		m.next = m.next.Set("handoff_artifacts", m.next.Sub("handoff_artifacts").put("code_review", m.next.Raw("review_verdict")))
	case m.finish:
		m.next = cleanEnd(m, m.next).Without("stop_reason")
	case m.next.False("active") && m.from != "":
		m.next = m.next.Set(own, m.next.Sub(own).Set("resume_phase", m.from))
	}
	if err := counted(given, m.next); err != nil {
		return Result{}, err
	}
	if stop != nil {
		m.next = m.next.Set("current_phase", stop.Phase).Set("active", false).Set("stop_reason", stop.Reason)
		m.next = m.next.Set(own, m.next.Sub(own).Set("resume_phase", Plan))
	}
	r, err := m.done()
	r.Stop = stop
	return r, err
}

// fresh drops the verdicts of the cycle before, where the review begins.
func (m move) fresh(given Object) Object {
	o := m.next
	if !implements(m.from) || m.to != Review {
		return o
	}
	for _, name := range []string{"review_verdict", "qa_verdict"} {
		if !given.Has(name) {
			o = o.Set(name, nil)
		}
	}
	return o
}

// waiting lets a run wait for the answer to a question.
func (m move) waiting(given Object) (Result, error) {
	q := m.next.Sub("deep_interview_question")
	if q.Text("obligation_id") == "" || Phase(q.Text("previous_phase")) != m.from {
		return Result{}, fmt.Errorf("autopilot waits with deep_interview_question: an obligation_id, and previous_phase %s", m.from)
	}
	if err := counted(given, m.next); err != nil {
		return Result{}, err
	}
	o := m.next.Set("run_outcome", "blocked_on_user").Set("lifecycle_outcome", "askuserQuestion")
	return Result{State: stamp(o, m.was, "autopilot", m.w)}, nil
}

// done sets the outcome and the stamps.
func (m move) done() (Result, error) {
	o, err := outcome(m.next, m.w.now())
	if err != nil {
		return Result{}, err
	}
	if o.Text("current_phase") == Complete && len(o.List("skipped_gates")) > 0 {
		o = o.Set("completion_status", "complete-with-skipped-gates")
	}
	r := Result{State: stamp(o, m.was, "autopilot", m.w)}
	if o.True("active") {
		r.Completes = Completes("autopilot", m.w.Active)
	}
	return r, nil
}

// counters keeps the counters of a stored state: they are counted here. The notifier of
// the release counts turns of the chat as iterations; a loop more than returns is none.
func counters(next, was Object) Object {
	cycle := was.count("review_cycle")
	iteration := was.count("iteration")
	if iteration > cycle+1 || iteration == 0 {
		iteration = cycle + 1
	}
	return next.Set("iteration", iteration).Set("review_cycle", cycle)
}

// counted refuses counters of a caller that are others than those counted here.
func counted(given, next Object) error {
	for _, name := range []string{"iteration", "review_cycle"} {
		n, there, err := given.Count(name)
		if err != nil {
			return err
		}
		if want := next.count(name); there && n != want {
			return fmt.Errorf("%s is %d and not %d: it is counted here, at each return to ralplan; leave it out", name, want, n)
		}
	}
	if most := next.count("max_iterations"); most < next.count("iteration") {
		return fmt.Errorf("max_iterations cannot be %d in iteration %d", most, next.count("iteration"))
	}
	return nil
}
