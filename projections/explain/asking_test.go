package explain_test

import (
	"testing"
	"time"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

func TestARunThatAsksWaitsForAPersonAndNobodyElseIsToldHowToAnswer(t *testing.T) {
	t.Parallel()
	q := &run.Question{QuestionAsked: events.QuestionAsked{Number: 1, Gate: "approved", Phase: "plan", Kind: events.AskApproval}}
	for name, tt := range map[string]struct {
		edit    func(*run.State)
		because string
		needs   string
	}{
		"approval": {func(*run.State) {}, "waiting: gate approved of phase plan asks a person for approval", explain.NeedsAnswer},
		"again":    {func(s *run.State) { s.Question.Again = true }, "waiting: gate approved of phase plan asks a person for approval, again", explain.NeedsAnswer},
		"a text":   {func(s *run.State) { s.Question.Kind = events.AskText }, "waiting: gate approved of phase plan asks a person", explain.NeedsAnswer},
		"expired":  {func(s *run.State) { s.Question.Expired = true }, "about to be halted: nobody answered at gate approved in time", ""},
		"stopping": {func(s *run.State) { s.Stop = events.StopNow }, "waiting: gate approved of phase plan asks a person for approval", ""},
		"a look": {func(s *run.State) {
			s.Stage, s.Last.Role, s.Loop.Phase = run.Looking, events.RoleStarted{Role: "critic", Gate: "reviewed"}, "look"
		}, "running: critic reviews for gate reviewed, in iteration 0", ""},
		"no whole log": {func(s *run.State) { s.Log.Broken = 3 }, "about to be halted: event 3 of its log does not follow the one before", ""},
	} {
		asked := *q
		s := run.State{Status: run.Live, Stage: run.Asking, Question: &asked, Facts: events.RunStarted{Handle: "k3xq"}}
		tt.edit(&s)
		if _, because := explain.Why(s); because != tt.because {
			t.Errorf("%s: %q, want %q", name, because, tt.because)
		}
		if needs := explain.Needs(s, time.Now()); needs != tt.needs {
			t.Errorf("%s: needs %q, want %q", name, needs, tt.needs)
		}
		next := explain.Next(s)
		if asks := tt.needs != ""; asks != (next[0].Command == "apctl answer k3xq") {
			t.Errorf("%s: next is %+v", name, next)
		}
		for _, n := range explain.ForAgents(next) {
			if n.Command != "apctl watch k3xq" {
				t.Errorf("%s: an agent is told %q", name, n.Command)
			}
		}
	}
}
