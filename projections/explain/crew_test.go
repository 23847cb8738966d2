package explain_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// Lesson A27: who goes on instead of whom, and why, can be read.
func TestWhichAgentWorksIsSaidWhereAWorkflowNamesThem(t *testing.T) {
	t.Parallel()
	crews := []events.Crew{{Role: "coder", Phases: []events.Name{"build"}, Hands: []events.Hand{{Agent: "small"}, {Agent: "big"}}}}
	s := state(func(s *run.State) {
		s.Facts.Crews, s.Last.Results = crews, []events.GateResult{{Gate: "reviewed", Verdict: events.Fail}}
	})
	escalated := func(reason events.Halt, edit func(*events.AgentEscalated)) events.AgentEscalated {
		d := events.AgentEscalated{Role: "coder", From: 1, To: 2, Reason: reason, Phase: "build", Iteration: 4}
		edit(&d)
		return d
	}
	const goes = "agent big goes on as coder, instead of small: "
	for want, d := range map[string]events.Data{
		goes + "iterations 2 and 4 failed in the same way on the same tree": escalated(events.HaltStuck, func(d *events.AgentEscalated) { d.Iterations = []int{2, 4} }),
		goes + "iterations 3 and 4 failed with the same failure":            escalated(events.HaltSignature, func(d *events.AgentEscalated) { d.Iterations = []int{3, 4} }),
		goes + "the budget of 10 iterations is used up, and a gate still fails": escalated(events.HaltIterations, func(d *events.AgentEscalated) {
			d.Limit = 10
		}),
		goes + "the work was sent back 3 times, and gate reviewed still fails": escalated(events.HaltCycles, func(d *events.AgentEscalated) { d.Limit = 3 }),
		goes + "gate agreed sent the same plan back 3 times":                   escalated(events.HaltPlan, func(d *events.AgentEscalated) { d.Gate, d.Limit = "agreed", 3 }),
		"iteration 2/10: agent big started":                                    events.IterationStarted{Iteration: 2, Attempt: 1, Agent: "big", Level: 2},
		"gate reviewed: critic looks, with agent big":                          events.RoleStarted{Gate: "reviewed", Role: "critic", Agent: events.IterationStarted{Agent: "big"}},
	} {
		if got := explain.Line(s, events.Event{Data: d}); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	s.Stage, s.Loop.Iteration, s.Loop.Spent, s.Last.Start.Agent = run.Agent, 2, 1, "big"
	if _, because := explain.Why(s); because != "running: agent big works on iteration 2 of 10" {
		t.Error(because)
	}
	ja := explain.History{Language: events.Japanese}
	ja.Add(events.Event{Data: events.RunStarted{Crews: crews}})
	ja.Add(events.Event{Data: escalated(events.HaltSameness, func(d *events.AgentEscalated) { d.Iterations = []int{1, 2} })})
	if len(ja.Tried) != 1 || !japanese(ja.Tried[0].Line) {
		t.Errorf("%+v", ja.Tried)
	}
	var h explain.History
	for _, d := range []events.Data{
		events.RunStarted{Crews: crews},
		events.IterationStarted{Iteration: 1, Agent: "small"},
		events.IterationRecorded{Iteration: 1, Verdict: events.Fail},
		escalated(events.HaltSameness, func(d *events.AgentEscalated) { d.Iterations = []int{1, 2} }),
		events.IterationStarted{Iteration: 2, Agent: "big"},
		events.IterationRecorded{Iteration: 2, Verdict: events.Pass},
		events.IterationRecorded{Iteration: 3, Verdict: events.Pass},
	} {
		h.Add(events.Event{Data: d})
	}
	for i, want := range []string{"small", "big", ""} {
		if h.Rows[i].Agent != want {
			t.Errorf("row %d: %q", i, h.Rows[i].Agent)
		}
	}
	if len(h.Tried) != 1 || h.Tried[0].Kind != "escalated" || h.Tried[0].Line != goes+"iterations 1 and 2 failed in the same way on the same tree" {
		t.Errorf("%+v", h.Tried)
	}
}
