package engine_test

import (
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

// twoApprovals is a plan whose gates ask about two sets, and whose worker has a
// question as well.
func twoApprovals() []events.Data {
	a, e := agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) {
		d.Phase, d.Question, d.Asks = "plan", "q1", events.Asks{Kind: events.AskChoice, Options: 2, Recommended: 1}
	})
	a.Phase = "plan"
	return append(planReady(), a, e, events.GatesStarted{Phase: "plan", Iteration: 1}, events.GatesJudged{
		Phase: "plan", Iteration: 1, Tree: "t1", Work: "t1",
		Results: []events.GateResult{open("first", events.GateApproval, "one"), open("second", events.GateApproval, "two")},
	})
}

// Seeds 3.7, lesson A33: at most one question at a gate. Until it is answered nobody
// asks, works or looks; what was answered is not asked again; and what failed is
// worked on before anybody is asked more.
func TestA33AtAGateOneQuestionIsOpenAndItIsAskedOnce(t *testing.T) {
	t.Parallel()
	ask := func(gate events.Name, set string) engine.Ask {
		return engine.Ask{Gate: gate, Kind: events.AskApproval, Set: set}
	}
	all, wait := twoApprovals(), engine.Wait{Why: "answer"}
	first := append(all[:len(all):len(all)], asks(2, "first", "one"))
	second := append(first[:len(first):len(first)], says(2, "first", "one", events.ChoiceOK), asks(3, "second", "two"))
	for name, tt := range map[string]struct {
		events []events.Data
		rule   string
		want   engine.Action // nil is whatever the rule does
	}{
		"the first gate asks":                           {all, "ask", ask("first", "one")},
		"no other asks before its answer":               {first, "asking", wait},
		"whatever else is said meanwhile":               {append(first[:len(first):len(first)], events.ForeignSeen{Count: 1}), "asking", wait},
		"then the second one":                           {second[:len(second)-1], "ask", ask("second", "two")},
		"which waits alone, too":                        {second, "asking", wait},
		"a rejection is worked on before more is asked": {append(first[:len(first):len(first)], says(2, "first", "one", events.ChoiceNo)), "record", nil},
		"both answered, nothing is asked twice":         {append(second[:len(second):len(second)], says(3, "second", "two", events.ChoiceOK)), "record", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule, act := engine.Explain(history(tt.events...), many(t), start.Add(time.Minute))
			if rule != tt.rule || tt.want != nil && act != tt.want {
				t.Errorf("%s: %+v, want %s: %+v", rule, act, tt.rule, tt.want)
			}
			if _, again := act.(engine.Ask); again && history(tt.events...).Question != nil {
				t.Error("a second question at the same gate")
			}
		})
	}
}
