package explain_test

import (
	"strings"
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
		{events.GatesJudged{Iteration: 1, Results: []events.GateResult{file(events.Fail, events.ReasonStale)}}, "iteration 1: report fail (a file is unchanged since before the work)"},
		{
			events.GatesJudged{Checkout: events.CheckoutClean, Results: []events.GateResult{command(events.Fail, events.ReasonSetup, 3), command(events.Skipped, events.ReasonSetup, -1)}},
			"baseline, in a clean checkout: test fail (set-up of a clean checkout: exit 3), test skipped (not run, because the set-up failed)",
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

// atdd-kit, seeds 3.8: the rates before and after are told with the end; and what was
// not seen to fail in so many runs is a matter of more of them.
func TestTheEndSaysHowOftenTestsFailed(t *testing.T) {
	t.Parallel()
	red := events.GateResult{Gate: "red", Kind: events.GateRed, Verdict: events.Pass, Reason: events.ReasonSeenRed, Rate: events.Rate{Failed: 3, Runs: 10}, After: events.Rate{Runs: 10}}
	s := ended(events.RunEnded{State: events.EndDone, Iteration: 2, Tree: "0123456789abcdef"})
	s.Last.Seen = []events.GateResult{{Gate: "calm", Kind: events.GateRepeat, Verdict: events.Pass, Reason: events.ReasonExit, Rate: events.Rate{Runs: 10}}, red}
	if _, because := explain.Why(s); because != "done after 2 iterations: every gate passed on tree 0123456789; gate red: failed 3 of 10 before, 0 of 10 after" {
		t.Error(because)
	}
	red.Verdict, red.Reason, red.Rate, red.After = events.Fail, events.ReasonNotRed, events.Rate{Runs: 10}, events.Rate{}
	s = state(func(s *run.State) {
		s.Status, s.Halt = run.Halted, &events.RunHalted{Reason: events.HaltUnverifiable, Gate: "red", Iteration: 2}
		s.Last.Results = []events.GateResult{red}
	})
	if _, because := explain.Why(s); !strings.Contains(because, "failed in none of 10 runs before the work") {
		t.Error(because)
	}
	if next := explain.Next(s); len(next) == 0 || !strings.HasPrefix(next[0].Command, "apctl cancel") {
		t.Errorf("%+v", next)
	}
	s.Last.Results[0].Reason = events.ReasonAncestry
	if next := explain.Next(s); len(next) == 0 || strings.HasPrefix(next[0].Command, "apctl cancel") {
		t.Errorf("%+v", next)
	}
}
