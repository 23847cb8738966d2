package engine_test

import (
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

func sessionGate(d *events.RunStarted) {
	d.Gates = append(d.Gates, events.Gate{Name: "how", Kind: events.GateSession, Role: events.RoleCheck, Phase: "work"})
}

// told is an iteration whose session was judged so, recorded.
func told(n int, v events.Verdict, reason events.Reason, edit ...func(*events.AgentEnded)) []events.Data {
	r := events.GateResult{Gate: "how", Kind: events.GateSession, Role: events.RoleCheck, Verdict: v, Reason: reason, Used: 3, Of: 4, Limit: 50}
	results := append(result(events.Pass, ""), r)
	return one(agent(n, 1), ended(n, "t1", edit...), events.GatesStarted{Phase: "work", Iteration: n}, judged(n, "t1", results), record(n, v, "a"))
}

// Seeds 2.1.3 row 11, 2.1.4: a switch that fires ends it at once, with its name
// and what was compared, and a spiral is never tried again by itself.
func TestAKillSwitchHaltsAtOnce(t *testing.T) {
	t.Parallel()
	halts := func(reason events.Halt) engine.Action {
		return engine.Halt{RunHalted: events.RunHalted{Reason: reason, Phase: "work", Iteration: 1, Gate: "how", Used: 3, Of: 4, Limit: 50, Tree: "t1"}}
	}
	asks := func(a *events.AgentEnded) { a.Question = "q" }
	limited := func(a *events.AgentEnded) { a.Result = events.ResultRateLimited }
	base := baseline(sessionGate)
	quick := func(report int) []events.Data {
		return join(base, one(agent(1, 1), ended(1, "t0", func(a *events.AgentEnded) {
			a.Tree, a.DurationMS, a.Report.V = agent(1, 1).Tree, 100, report
		})))
	}
	checkNext(t, []nextCase{
		{"a stall", join(base, told(1, events.Fail, events.ReasonStall)), 0, "kill-switch", halts(events.HaltStall)},
		{"a spiral", join(base, told(1, events.Fail, events.ReasonSpiral)), 0, "kill-switch", halts(events.HaltSpiral)},
		{"a failed wave", join(base, told(1, events.Fail, events.ReasonFailedWave)), 0, "kill-switch", halts(events.HaltFailedWave)},
		{"a carryover", join(base, told(1, events.Fail, events.ReasonCarryover)), 0, "kill-switch", halts(events.HaltCarryover)},
		{"goes before a question", join(base, told(1, events.Fail, events.ReasonSpiral, asks)), 0, "kill-switch", halts(events.HaltSpiral)},
		{"no report is worked on", join(base, told(1, events.Fail, events.ReasonNoReport)), 0, "start", nil},
		{"a good one is done", join(base, told(1, events.Pass, events.ReasonReported)), 0, "done", nil},
		{
			"a session that its provider cut short is no failed one",
			join(base, one(agent(1, 1), ended(1, "t1", limited), events.GatesStarted{Phase: "work", Iteration: 1},
				judged(1, "t1", []events.GateResult{{Gate: "how", Kind: events.GateSession, Verdict: events.Fail, Reason: events.ReasonSpiral}}),
				record(1, events.Skipped, ""))), 0, "start", nil,
		},
		{
			"after a resume it does not fire again by itself",
			join(base, told(1, events.Fail, events.ReasonSpiral), one(events.RunHalted{Reason: events.HaltSpiral}, events.RunResumed{Note: "n"})), 0, "start", nil,
		},
		{"who did nothing and tells of it is judged", quick(1), 0, "gates", nil},
		{"who did nothing and tells nothing is a no-op", quick(0), 0, "noop-recorded", nil},
	})
	for reason, note := range map[events.Halt]bool{
		events.HaltStall: false, events.HaltSpiral: true, events.HaltFailedWave: true, events.HaltCarryover: true,
	} {
		s := history(join(base, told(1, events.Fail, events.ReasonNoReport), one(events.RunHalted{Reason: reason}))...)
		if _, err := engine.Decide(s, engine.Resume{}, start); (err != nil) != note {
			t.Errorf("%s: resumed without a note: %v", reason, err)
		}
	}
}
