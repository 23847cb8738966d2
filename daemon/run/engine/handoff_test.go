package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// handedOver is a run of many phases whose first gate who started it has handed over,
// up to what a person is shown of it.
func handedOver() []events.Data {
	list := atEntry()
	d := list[0].(events.RunStarted)
	d.Handoff = "person:0@h/pts-3"
	d.Gates = slices.Clone(d.Gates)
	for i := range d.Gates {
		d.Gates[i].Handoff = d.Gates[i].Name == "wanted"
	}
	q := asks(1, "wanted", "prd")
	q.Handoff, q.Tree = true, "t0"
	return append([]events.Data{d}, append(list[1:], q)...)
}

func accepted(n int) events.QuestionAnswered {
	return events.QuestionAnswered{Number: n, Gate: "wanted", Choice: events.ChoiceOK, Set: "prd", Assurance: events.AssuredHandoff}
}

func rejects(n int, phase events.Name) events.QuestionAnswered {
	a := says(n, "wanted", "prd", events.ChoiceNo)
	a.Phase = phase
	return a
}

// Seeds 3.1: who hands a gate over is not waited for, and it is recorded as what it
// is; nobody who is asked is passed over.
func TestAGateThatWasHandedOverIsAcceptedWithoutAWait(t *testing.T) {
	t.Parallel()
	rule, act := engine.Explain(history(handedOver()...), many(t), start)
	want := engine.Accept{QuestionAnswered: accepted(1)}
	if rule != "handed-over" || !cmp.Equal(act, engine.Action(want)) {
		t.Fatalf("%s %+v", rule, act)
	}
	s := history(append(handedOver(), accepted(1))...)
	if s.Stage != run.Ready || !s.Loop.Begun || s.Question != nil || len(s.Handed) != 1 || s.Handed[0].Tree != "t0" {
		t.Errorf("afterwards %v, %+v", s.Stage, s.Handed)
	}
	if rule, _ := engine.Explain(history(append(atEntry(), asks(1, "wanted", "prd"))...), many(t), start); rule != "asking" {
		t.Errorf("one that was not: %s", rule)
	}
	if events.AssuredHandoff.Level() >= events.AssuredSession.Level() || !events.AssuredHandoff.Weak() {
		t.Error("a hand-off is no weak assurance")
	}
}

// Seeds 3.1: a person may override what was accepted, as long as the run lives.
func TestWhatWasAcceptedByHandOffIsRejectedByAPersonAlone(t *testing.T) {
	t.Parallel()
	working := append(handedOver(), accepted(1), func() events.IterationStarted { a := agent(1, 1); a.Phase = "plan"; return a }())
	dialog, other, empty, aimless := rejects(1, "plan"), rejects(1, "plan"), rejects(1, "plan"), rejects(1, "")
	dialog.Assurance, other.Set, empty.Findings, empty.Count = events.AssuredSession, "new", "", 0
	byHand := rejects(1, "plan")
	byHand.Assurance = events.AssuredHandoff
	twice := append(slices.Clone(working), rejects(1, "plan"))
	for name, tt := range map[string]struct {
		events []events.Data
		answer events.QuestionAnswered
		want   error
	}{
		"with what is wrong":        {working, rejects(1, "plan"), nil},
		"in a dialog":               {working, dialog, engine.ErrAssurance},
		"by another hand-off":       {working, byHand, engine.ErrAssurance},
		"about another set":         {working, other, engine.ErrOtherSet},
		"without a finding":         {working, empty, engine.ErrChoice},
		"with nobody to work on it": {working, aimless, engine.ErrChoice},
		"ok changes nothing":        {working, says(1, "wanted", "prd", events.ChoiceOK), engine.ErrChoice},
		"twice":                     {twice, rejects(1, "plan"), engine.ErrAnswered},
		"of a halted run":           {append(slices.Clone(working), events.RunHalted{Reason: events.HaltStopped}), rejects(1, "plan"), engine.ErrNoQuestion},
		"of one that is over":       {append(slices.Clone(working), events.RunEnded{State: events.EndDone}), rejects(1, "plan"), engine.ErrOver},
	} {
		d, err := engine.Decide(history(tt.events...), engine.Answer{QuestionAnswered: tt.answer}, start)
		if !errors.Is(err, tt.want) || (err == nil) != (d != nil) {
			t.Errorf("%s: %v, %v; want %v", name, d, err, tt.want)
		}
	}
}

// Seeds 3.7: the rejection ends who builds on it, sends the run back with what was
// found, and takes the gate back: the next set is shown to a person.
func TestARejectionOfWhatWasHandedOverSendsTheRunBackAndTakesTheGateBack(t *testing.T) {
	t.Parallel()
	a := agent(1, 1)
	a.Phase = "plan"
	list := append(handedOver(), accepted(1), a, rejects(1, "plan"))
	s := history(list...)
	if act, ok := engine.Next(s, many(t), start).(engine.RunAgent); !ok || !act.Announced || !act.End {
		t.Fatalf("the agent at work: %+v", act)
	}
	if s.HandsOver("wanted") || len(s.Handed) != 0 {
		t.Errorf("taken back: %v, handed %+v", !s.HandsOver("wanted"), s.Handed)
	}
	list = append(list, ended(1, "t1", func(d *events.AgentEnded) {
		d.Phase, d.Outcome, d.Result = "plan", events.Stopped, events.ResultStopped
	}))
	rule, act := engine.Explain(history(list...), many(t), start)
	enter, ok := act.(engine.Enter)
	if rule != "sent" || !ok || enter.Phase != "plan" || enter.Way != events.WaySent {
		t.Fatalf("%s %+v", rule, act)
	}
	s = history(append(list, enter.PhaseEntered)...)
	if s.SendTo != "" || s.Loop.Begun {
		t.Errorf("sent to %q, begun %v", s.SendTo, s.Loop.Begun)
	}
	again := append(list, enter.PhaseEntered, events.GatesStarted{Phase: "plan", Entry: true},
		events.GatesJudged{Phase: "plan", Entry: true, Tree: "t1", Work: "t1", Results: []events.GateResult{open("wanted", events.GateApproval, "prd")}})
	if rule, _ := engine.Explain(history(again...), many(t), start); rule != "entry-failed" {
		t.Errorf("the same set at its entry: %s", rule)
	}
}

// passed is a whole iteration that passes.
func passed(n int, print string) []events.Data {
	tree := events.Tree("t" + print)
	return one(agent(n, 1), ended(n, tree), events.GatesStarted{Phase: "work", Iteration: n}, judged(n, tree, result(events.Pass, print)), record(n, events.Pass, print))
}

// What has passed is shown once, before the run goes on or ends; without an issue, or a
// branch of its own, nothing is ever pushed. What became of it ends no run otherwise.
func TestWorkThatHasPassedIsPublishedOnceWhereThePhaseSaysSo(t *testing.T) {
	t.Parallel()
	about := func(d *events.RunStarted) { d.Issue, d.Branch = 24, "branch" }
	w := flow()
	w.Phases[0].Publish = true
	publish := engine.Publish{Phase: "work", Iteration: 1}
	shown := events.WorkPublished{Phase: "work", Iteration: 1, Problem: "problem"}
	for name, tt := range map[string]struct {
		events []events.Data
		rule   string
		want   engine.Action
	}{
		"passed":                        {join(baseline(about), passed(1, "a")), "publish", publish},
		"shown, or not":                 {join(baseline(about), passed(1, "a"), one(shown)), "done", nil},
		"failed":                        {join(baseline(about), failed(1, "a")), "start", nil},
		"of another iteration":          {join(baseline(about), failed(1, "a"), one(shown), passed(2, "b")), "publish", engine.Publish{Phase: "work", Iteration: 2}},
		"about no issue":                {join(baseline(), passed(1, "a")), "done", nil},
		"cancelled meanwhile":           {join(baseline(about), passed(1, "a"), one(events.StopRequested{Mode: events.StopCancel})), "cancel", nil},
		"what has passed is not halted": {join(baseline(about), passed(1, "a"), one(events.StopRequested{Mode: events.StopNow})), "publish", publish},
	} {
		rule, act := engine.Explain(history(tt.events...), w, start)
		if rule != tt.rule || tt.want != nil && !cmp.Equal(act, tt.want) {
			t.Errorf("%s: %s %+v", name, rule, act)
		}
	}
	if rule, _ := engine.Explain(history(join(baseline(about), passed(1, "a"))...), flow(), start); rule != "done" {
		t.Errorf("a phase that says nothing of it: %s", rule)
	}
}

// A landing is published without an issue or a branch. It ends as failed where a gate fails
// or its target did not move: nobody works on that here.
func TestALandingMovesItsTargetOrEndsAsFailed(t *testing.T) {
	t.Parallel()
	w := flow()
	w.Phases[0].Publish = true
	lands := func(d *events.RunStarted) { d.Land = events.Land{Commit: "c"} }
	moved := func(state events.LandState) []events.Data {
		return join(baseline(lands), passed(1, "a"), one(events.WorkPublished{Phase: "work", Iteration: 1, Commit: "c", Landing: state, Problem: "said"}))
	}
	end := func(state events.End, err events.Ref) engine.Action {
		return engine.Finish{RunEnded: events.RunEnded{State: state, Iteration: 1, Tree: "ta", Error: err}}
	}
	for name, tt := range map[string]struct {
		events []events.Data
		rule   string
		want   engine.Action
	}{
		"all gates pass":      {join(baseline(lands), passed(1, "a")), "publish", engine.Publish{Phase: "work", Iteration: 1}},
		"landed":              {moved(events.LandDone), "done", end(events.EndDone, "")},
		"kept":                {moved(events.LandKept), "done", end(events.EndDone, "")},
		"moved by others":     {moved(events.LandMoved), "unlanded", end(events.EndFailed, "said")},
		"refused by git":      {moved(events.LandFailed), "unlanded", end(events.EndFailed, "said")},
		"a gate fails":        {join(baseline(lands), failed(1, "a")), "red-landing", end(events.EndFailed, "")},
		"no landing at all":   {join(baseline(), failed(1, "a")), "start", nil},
		"cancelled meanwhile": {join(baseline(lands), passed(1, "a"), one(events.StopRequested{Mode: events.StopCancel})), "cancel", nil},
	} {
		rule, act := engine.Explain(history(tt.events...), w, start)
		if rule != tt.rule || tt.want != nil && !cmp.Equal(act, tt.want) {
			t.Errorf("%s: %s %+v", name, rule, act)
		}
	}
}
