package explain_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

func TestLinesOfArtifactsAndCleanCheckouts(t *testing.T) {
	t.Parallel()
	file := func(v events.Verdict, r events.Reason) events.GateResult {
		return events.GateResult{Gate: "report", Kind: events.GateArtifact, Verdict: v, Reason: r, Exit: -1}
	}
	command := func(v events.Verdict, r events.Reason, exit int) events.GateResult {
		return events.GateResult{Gate: "test", Kind: events.GateCommand, Verdict: v, Reason: r, Exit: exit}
	}
	for _, c := range []struct {
		judged events.GatesJudged
		want   string
	}{
		{events.GatesJudged{Iteration: 1, Results: []events.GateResult{file(events.Pass, events.ReasonWritten)}}, "iteration 1: report pass (every file is written)"},
		{events.GatesJudged{Iteration: 1, Results: []events.GateResult{file(events.Fail, events.ReasonMissing)}}, "iteration 1: report fail (a file is missing)"},
		{events.GatesJudged{Iteration: 1, Results: []events.GateResult{file(events.Fail, events.ReasonBlank)}}, "iteration 1: report fail (a file is blank)"},
		{events.GatesJudged{Iteration: 1, Results: []events.GateResult{file(events.Fail, events.ReasonStale)}}, "iteration 1: report fail (a file is as it was before the work)"},
		{
			events.GatesJudged{Checkout: events.CheckoutClean, Results: []events.GateResult{command(events.Fail, events.ReasonSetup, 3), command(events.Skipped, events.ReasonSetup, -1)}},
			"baseline, in a clean checkout: test fail (set-up of a clean checkout: exit 3), test skipped (not run, as the set-up failed)",
		},
		{
			events.GatesJudged{Iteration: 2, Checkout: events.CheckoutClean, Results: []events.GateResult{command(events.Fail, events.ReasonSetup, -1)}},
			"iteration 2, in a clean checkout: test fail (set-up of a clean checkout did not finish)",
		},
	} {
		if got := explain.Line(run.State{}, events.Event{Data: c.judged}); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
	started := events.RunStarted{Handle: "k3xq", Gates: []events.Gate{{Name: "report", Kind: events.GateArtifact, Role: events.RoleGoal}}}
	if got, want := explain.Line(run.State{}, events.Event{Data: started}), "run k3xq started: goal report"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDoneSaysThatACleanCheckoutPassedToo(t *testing.T) {
	t.Parallel()
	s := ended(events.RunEnded{State: events.EndDone, Iteration: 2, Tree: "0123456789abcdef"})
	s.Last.Checkout = events.CheckoutClean
	if _, because := explain.Why(s); because != "done after 2 iterations: every gate passed on tree 0123456789, and in a clean checkout of it" {
		t.Error(because)
	}
	if _, because := explain.Why(ended(events.RunEnded{State: events.EndRefused, Reason: events.RefusedSetup, Gate: "test"})); because != "refused: the set-up command fails in a clean checkout, before any work" {
		t.Error(because)
	}
}
