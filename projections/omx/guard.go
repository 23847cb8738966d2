package omx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// move is one write of autopilot: from a stored state to the next one.
type move struct {
	was, next Object
	from, to  string // phases that are worked in, "" for none
	finish    bool   // the next state is a run that has finished
	w         World
	p         Profile
}

func newMove(was, next Object, w World, p Profile) move {
	return move{was: was, next: next, from: Child(was), to: Child(next), finish: finished(next), w: w, p: p}
}

// finished says that a state is that of a run that came to its end: by its phase, its
// outcome or, in a state of the release, because it is not active.
func finished(o Object) bool {
	phase := Phase(o.Text("current_phase"))
	run, life := runWords[strings.ToLower(o.Text("run_outcome"))], lifecycleOf(o.Text("lifecycle_outcome"))
	switch {
	case phase == Failed, phase == Exhausted, phase == Halted, run == "failed", run == "cancelled", run == "blocked_on_user":
		return false
	case life != "" && life != "finished":
		return false
	}
	return phase == Complete || run == "finish" || life == "finished" || o.False("active")
}

// gap is the first evidence that a move lacks, in the order of the release.
//
// Source: oh-my-codex 0.21.6, completion gate; the rows that it does not have are those
// of seeds 4.1.2, and are looked at in Strict only.
func (m move) gap() (*Gap, error) {
	if err := m.misplaced(); err != nil {
		return nil, err
	}
	if g := m.skips(); g != nil {
		return g, nil
	}
	if m.finish && m.from == QA {
		return m.completes(), nil
	}
	if m.p == Advisory {
		return nil, nil
	}
	switch {
	case implements(m.from) && m.to == Review:
		return implemented(m.next, m.w, m.from), nil
	case m.from == Review && m.to == QA:
		return cleanReview(m.next, m.w, m.p), nil
	case m.to == Plan && (m.from == Review || m.from == QA):
		return m.returns(), nil
	}
	return nil, nil
}

// misplaced refuses evidence that has the wrong shape or lies in the wrong place, in
// both profiles.
func (m move) misplaced() error {
	switch {
	case m.from == Interview && m.to == Plan:
		return place(m.w, specOf(m.next), interviews...)
	case m.from == Plan && m.to == Goal:
		if err := forged(m.next); err != nil {
			return err
		}
		return place(m.w, planOf(m.next), "plans")
	}
	return nil
}

// skips is the gate that the move goes round.
func (m move) skips() *Gap {
	name := m.to
	if m.finish {
		name = Complete
	}
	switch {
	case m.finish && m.was.True("active") && m.from == "":
		return gap("autopilot-phase", "a phase that is known, in the stored state", "autopilot would end from no phase")
	case m.from == Interview && m.finish:
		return gap(Plan, "the way from deep-interview to ralplan", "autopilot would end without a plan")
	case m.from == Interview && m.to == Plan:
		if g := interview(m.next, m.w, m.p); g != nil {
			return g
		}
	case m.from == Plan && m.finish:
		return gap(Goal, "the way from ralplan to ultragoal", "autopilot would end without the work")
	case m.from == Plan && m.to == Goal || m.from == Plan && m.to == Ralph && m.legacy():
		if g := consensus(m.next, m.w, m.p); g != nil {
			return g
		}
		return nil
	case implements(m.from) && m.finish, implements(m.from) && m.to == QA:
		return gap(Review, "the way from "+m.from+" to code-review", "autopilot would go from "+m.from+" to "+name+" without a review")
	}
	if m.from != "" && m.to != "" && !m.adjacent() {
		return gap("phase-order", "a phase that follows "+m.from+": "+strings.Join(m.following(), ", "), "autopilot would go from "+m.from+" to "+m.to)
	}
	if m.from == Review && m.finish {
		return gap(QA, "the way from code-review to ultraqa", "autopilot would end without QA")
	}
	return nil
}

func (m move) adjacent() bool { return slices.Contains(m.following(), m.to) }

// following are the phases that the phase leads to. The contract mends findings in a
// new cycle only; the release also in a phase rework.
func (m move) following() []string {
	all := working[m.from]
	if m.p == Strict && m.from == Review {
		all = []string{Review, Plan, QA}
	}
	return all
}

// legacy says that the run has the lane of ralph in the place of ultragoal.
func (m move) legacy() bool {
	return m.p == Strict && slices.ContainsFunc(m.next.List("phase_cycle"), func(v jsontext.Value) bool {
		s, _ := textOf(v)
		return s == Ralph
	})
}

// completes says what the end of a run lacks: all evidence of all phases.
//
// Source: oh-my-codex, seeds 4.1.2, completion invariant; lesson O15.
func (m move) completes() *Gap {
	if m.p == Advisory {
		if cleanReview(m.next, m.w, m.p) != nil || cleanQA(m.next, m.w, m.p) != nil || apart(m.next) != nil {
			return gap("ultraqa-evidence", "clean verdicts of code-review and ultraqa", "autopilot ends without clean verdicts of code-review and ultraqa")
		}
		return nil
	}
	if g := m.entered(QA); g != nil {
		return g
	}
	if g := cleanQA(m.next, m.w, m.p); g != nil {
		return g
	}
	return apart(m.next)
}

// entered says what a phase lacks of the evidence of all phases before it.
//
// Source: oh-my-codex, seeds 4.1.2, resume table; lesson O20.
func (m move) entered(phase string) *Gap {
	rank := map[string]int{Interview: 0, Plan: 1, Goal: 2, Rework: 2, Team: 2, Ralph: 2, Review: 3, QA: 4}[phase]
	work := Goal
	if m.legacy() && m.next.Sub("handoff_artifacts").Null(Goal) {
		work = Ralph
	}
	for i, look := range []func() *Gap{
		func() *Gap { return interview(m.next, m.w, m.p) },
		func() *Gap { return consensus(m.next, m.w, m.p) },
		func() *Gap { return implemented(m.next, m.w, work) },
		func() *Gap { return cleanReview(m.next, m.w, m.p) },
	} {
		if i >= rank {
			break
		}
		if g := look(); g != nil {
			return g
		}
	}
	return nil
}

// returns says what a way back lacks: the verdict that is not clean, and the finding.
func (m move) returns() *Gap {
	verdict := "review_verdict"
	if m.from == QA {
		verdict = "qa_verdict"
	}
	v := field(m.next, verdict)
	switch {
	case len(v) == 0 || v.True("clean"):
		return gap("return-to-ralplan", verdict+" that is not clean", "autopilot goes back to ralplan only with a verdict")
	case m.next.Text("return_to_ralplan_reason") == "":
		return gap("return-to-ralplan", "the finding, verbatim, in return_to_ralplan_reason", "autopilot goes back to ralplan only with a reason")
	}
	return nil
}

// forged refuses evidence of the plan that has the wrong shape. What is null is missing,
// which is another thing.
//
// Source: oh-my-codex 0.21.6, evidence of ralplan.
func forged(o Object) error {
	var wrong []string
	object := func(in Object, name string) Object {
		if v := in.Raw(name); v.Kind() != 'n' && v.Kind() != '{' {
			wrong = append(wrong, name+" has to be an object")
		}
		return in.Sub(name)
	}
	whole := func(in Object, what string, names ...string) {
		for _, n := range names {
			if _, there, err := in.Count(n); err != nil {
				wrong = append(wrong, what+": "+err.Error())
			} else if there {
				return
			}
		}
	}
	flat := Flatten(o)
	h := object(flat, "handoff_artifacts")
	if h.Raw(Plan).Kind() != '"' {
		object(h, Plan)
	}
	gates := flat
	if flat.Null(gateOfConsensus) {
		gates = h
	}
	g := object(gates, gateOfConsensus)
	for _, role := range []string{"architect", "critic"} {
		r := object(g, "ralplan_"+role+"_review")
		whole(r, role, "sequence_index")
		whole(r, role, "review_cycle", "iteration")
	}
	e := object(flat, "ralplan_execution_handoff")
	whole(e, "ralplan_execution_handoff", "review_cycle")
	if at := e.Raw("authorized_at"); at.Kind() != 'n' && !zulu(e.Text("authorized_at")) {
		wrong = append(wrong, "authorized_at has to be a time in UTC, as 2026-05-01T10:00:00Z")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the evidence of ralplan has the wrong shape: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// zulu says that a text is a time in UTC, by the second or the millisecond.
func zulu(s string) bool {
	t, err := instant(s)
	return err == nil && (s == t.Format("2006-01-02T15:04:05Z") || s == t.Format("2006-01-02T15:04:05.000Z"))
}

// carriers refuses hand-overs that are no object, in both places where they can be:
// read as empty they would be missing evidence instead of a fault.
//
// Source: oh-my-codex 0.21.6, hand-over carrier.
func carriers(o Object, whose string) error {
	for _, in := range []Object{o, o.Sub("state")} {
		if v := in.Raw("handoff_artifacts"); v.Kind() != 'n' && v.Kind() != '{' {
			return errors.New("handoff_artifacts of " + whose + " has to be an object, and not " + short(v))
		}
	}
	return nil
}
