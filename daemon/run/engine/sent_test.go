package engine_test

import (
	"slices"
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// Seeds 3.7: what a person has found sends the run back to an earlier phase, with
// a new budget; what waited there is closed, and no way back is counted.
func TestFindingsSendARunBack(t *testing.T) {
	t.Parallel()
	for name, before := range map[string][]events.Data{
		"asked":        append(atEntry(), asks(1, "wanted", "prd")),
		"at its entry": atEntry(),
	} {
		all := append(slices.Clone(before), events.RunHalted{Reason: events.HaltEntry}, events.RunResumed{Findings: "f", Count: 1, Phase: "elsewhere"})
		rule, act := engine.Explain(history(all...), many(t), start)
		enter, ok := act.(engine.Enter)
		if rule != "sent" || !ok || enter.Phase != "elsewhere" || enter.From != "plan" || enter.Way != events.WaySent || enter.Cycle != 0 {
			t.Fatalf("%s: %s %+v", name, rule, act)
		}
		s := history(append(all, enter.PhaseEntered)...)
		if s.Stage != run.Ready || s.Question != nil || s.SendTo != "" || s.Findings != "f" || s.Loop.Phase != "elsewhere" {
			t.Errorf("%s: afterwards %+v", name, s)
		}
	}
}

// An agent that was told and came to its end has had them; one that was lost or
// stopped is told again, and one that had begun before was never told.
func TestFindingsStayUntilAnAgentThatWasToldHasEnded(t *testing.T) {
	t.Parallel()
	begin, ended := baseline(), events.AgentEnded{Phase: "work", Iteration: 1, Attempt: 1, Effect: "e", Outcome: events.Exited, Result: events.ResultEnded}
	seeded := begin[0].(events.RunStarted)
	seeded.Findings, seeded.Count = "f", 1
	begin[0] = seeded
	told := events.IterationStarted{Phase: "work", Iteration: 1, Attempt: 1, Effect: "e"}
	lost, stopped := ended, ended
	lost.Outcome, lost.Result = events.Lost, events.ResultInterrupted
	stopped.Outcome, stopped.Result = events.Stopped, events.ResultStopped
	untold := []events.Data{told, events.RunHalted{Reason: events.HaltInternal}, events.RunResumed{Note: "n"}, ended}
	for name, tt := range map[string]struct {
		events []events.Data
		want   events.Ref
	}{
		"nobody worked yet": {nil, "f"},
		"it ended":          {[]events.Data{told, ended}, ""},
		"it was lost":       {[]events.Data{told, lost}, "f"},
		"it was stopped":    {[]events.Data{told, stopped}, "f"},
		"it had begun":      {untold, "f"},
	} {
		s := history(append(slices.Clone(begin), tt.events...)...)
		if s.Findings != tt.want {
			t.Errorf("%s: left %q, want %q", name, s.Findings, tt.want)
		}
	}
	if s := history(append(slices.Clone(begin), untold...)...); s.Note != "n" {
		t.Errorf("a note that nobody was told is gone: %q", s.Note)
	}
}
