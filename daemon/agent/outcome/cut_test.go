package outcome_test

import (
	"testing"

	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

func TestWhatAnAgentWasEndedForDecides(t *testing.T) {
	t.Parallel()
	for cut, want := range map[events.Cut]outcome.Outcome{
		"":                    outcome.Stopped,
		events.CutRepetition:  outcome.Stopped,
		events.CutCost:        outcome.Budget,
		events.CutTokens:      outcome.Budget,
		events.CutTurns:       outcome.MaxTurns,
		events.CutTrying:      outcome.IdleTimeout,
		events.CutPrompt:      outcome.NeedsPermission,
		events.Cut("unknown"): outcome.Stopped,
	} {
		d := outcome.Decide(outcome.Input{
			Supervisor: events.Stopped, Cut: cut, Exit: -1, Stream: summary(stream.Claude, initLine), Now: now,
		})
		if d.Outcome != want || d.By.Source != outcome.FromSupervisor || len(d.Conflicts) > 0 {
			t.Errorf("%q: %s by %+v beside %+v, want %s", cut, d.Outcome, d.By, d.Conflicts, want)
		}
	}
}

func TestB1AnAgentThatLingeredIsJudgedByItsResult(t *testing.T) {
	t.Parallel()
	in := outcome.Input{
		Supervisor: events.Stopped, Cut: events.CutLinger, Exit: -1, Stream: summary(stream.Claude, sample(t, "ok.claude")...), Now: now,
	}
	if d := outcome.Decide(in); d.Outcome != outcome.Ended || d.By.Source != outcome.FromStream || len(d.Conflicts) > 0 {
		t.Errorf("%+v", d)
	}
}
