package engine_test

import (
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

// inARow has whole sessions for iterations.
func inARow(d *events.RunStarted) {
	sessionGate(d)
	d.Limits = events.Limits{Iterations: 2}
	d.Series = events.Series{Sessions: 2, HoursMS: int64(4 * time.Hour / time.Millisecond), Confidence: events.RatioOf(0.85), Tokens: 100, Peers: 6}
}

func quiet() []events.Data { return baseline(inARow) }

func selected(n int, edit ...func(*events.ModeSelected)) events.Data {
	d := events.ModeSelected{Session: n, Mode: "deep", Confidence: events.RatioOf(0.9), Verdict: "green", Cap: -1}
	for _, f := range edit {
		f(&d)
	}
	return d
}

// sessionDone is a whole session that used so many tokens.
func sessionDone(n int, tokens int64) []events.Data {
	return join(one(selected(n)), told(n, events.Pass, events.ReasonReported, func(a *events.AgentEnded) {
		a.Report = events.SessionReport{V: 1, Tokens: tokens}
	}))
}

// Seeds 2.1.3 and 2.1.4: what comes between two sessions, each switch with its missing
// data, and pairs of them for the order.
func TestSeeds213BetweenTwoSessions(t *testing.T) {
	t.Parallel()
	stop := one(events.StopRequested{Mode: events.StopAfterIteration})
	overloaded := func(d *events.ModeSelected) { d.Verdict, d.Peers, d.Mode, d.Confidence = "critical", 7, "", 0 }
	low := func(d *events.ModeSelected) { d.Confidence = events.RatioOf(0.84) }
	none := func(d *events.ModeSelected) { d.Mode = "" }
	thrown := func(d *events.ModeSelected) { d.Mode, d.Confidence, d.Failed, d.Why = "", 0, true, "w" }
	long := 5 * time.Hour
	halt := func(h events.RunHalted) engine.Action {
		h.Phase, h.Tree = "work", "t0"
		return engine.Halt{RunHalted: h}
	}
	lost := told(1, events.Fail, events.ReasonFailedWave)
	checkNext(t, []nextCase{
		{"a mode is selected first", quiet(), 0, "select", engine.SelectMode{Session: 1}},
		{"then the session begins", join(quiet(), one(selected(1))), 0, "start", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1}},
		{"a session that passed is followed by another selection", join(quiet(), sessionDone(1, 0)), 0, "select", engine.SelectMode{Session: 2}},
		{"no files that changed is no no-op: the record counts", join(quiet(), one(selected(1), agent(1, 1), ended(1, "t0"))), 0, "gates", nil},
		{"1: an abort before the first", join(quiet(), stop), 0, "user-abort", halt(events.RunHalted{Reason: events.HaltUserAbort})},
		{"1: an abort between two", join(quiet(), sessionDone(1, 0), stop), 0, "user-abort", nil},
		{"1: no session is cut by it", join(quiet(), one(selected(1), agent(1, 1)), stop), 0, "agent", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true}},
		{"2: the sessions are used up, which is an end", join(quiet(), sessionDone(1, 0), sessionDone(2, 0)), 0, "max-sessions", engine.Finish{RunEnded: events.RunEnded{State: events.EndGraceful, Iteration: 2, Tree: "t1"}}},
		{"2: the count rises before the post switches: the last one that spirals has ended the run by that", join(quiet(), sessionDone(1, 0), one(selected(2)), told(2, events.Fail, events.ReasonSpiral, func(a *events.AgentEnded) { a.Report.V = 1 })), 0, "kill-switch", nil},
		{"3: the hours are over", quiet(), long, "max-hours", halt(events.RunHalted{Reason: events.HaltMaxHours, Limit: 14400000})},
		{"3, Q2: at their end", quiet(), 4 * time.Hour, "max-hours", nil},
		{"3: no session is cut by them", join(quiet(), one(selected(1), agent(1, 1))), long, "agent", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true}},
		{"3: a clock that goes back ends nothing", quiet(), -long, "select", nil},
		{"4: the tokens are used up", join(quiet(), sessionDone(1, 100)), 0, "token-budget", engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltTokenBudget, Phase: "work", Iteration: 1, Tree: "t1", Used: 100, Limit: 100}}},
		{"4: one is left", join(quiet(), sessionDone(1, 99)), 0, "select", nil},
		{"4: what nobody counts is open", join(quiet(), sessionDone(1, 0)), 0, "select", nil},
		{"5: the machine is critical, and too many are there", join(quiet(), one(selected(1, overloaded))), 0, "overload", halt(events.RunHalted{Reason: events.HaltOverload, Used: 7, Limit: 6})},
		{"5: six are not too many", join(quiet(), one(selected(1, overloaded, func(d *events.ModeSelected) { d.Peers, d.Mode, d.Confidence = 6, "deep", events.RatioOf(0.9) }))), 0, "start", nil},
		{"5, Q21: unknown peers are open", join(quiet(), one(selected(1, overloaded, func(d *events.ModeSelected) { d.Peers, d.Mode, d.Confidence = -1, "deep", events.RatioOf(0.9) }))), 0, "start", nil},
		{"5: an unknown verdict is open", join(quiet(), one(selected(1, func(d *events.ModeSelected) { d.Verdict, d.Peers = "", 9 }))), 0, "start", nil},
		{"6: low confidence at the first goes to a person", join(quiet(), one(selected(1, low))), 0, "manual", halt(events.RunHalted{Reason: events.HaltManual})},
		{"6: no mode too", join(quiet(), one(selected(1, none))), 0, "manual", nil},
		{"6: later it ends the run", join(quiet(), sessionDone(1, 0), one(selected(2, low))), 0, "unsure", nil},
		{"6: a selector that fails, at the first too", join(quiet(), one(selected(1, thrown))), 0, "unsure", halt(events.RunHalted{Reason: events.HaltLowConfidence, Error: "w"})},
		{"6: the threshold itself runs", join(quiet(), one(selected(1, func(d *events.ModeSelected) { d.Confidence = events.RatioOf(0.85) }))), 0, "start", nil},
		{"6: a person lets the mode run", join(quiet(), one(selected(1, low), events.RunHalted{Reason: events.HaltManual}, events.RunResumed{})), 0, "start", nil},
		{"6: and no mode runs by nobody's word", join(quiet(), one(selected(1, none), events.RunHalted{Reason: events.HaltManual}, events.RunResumed{})), 0, "manual", nil},
		{"6: after another halt it is selected anew", join(quiet(), one(selected(1, overloaded), events.RunHalted{Reason: events.HaltOverload}, events.RunResumed{})), 0, "select", nil},
		{"9: a session without a record", join(quiet(), one(selected(1)), lost), 0, "kill-switch", nil},
		{"9: it is not counted", join(quiet(), one(selected(1)), lost, one(events.RunHalted{Reason: events.HaltFailedWave}, events.RunResumed{Note: "n"})), 0, "select", engine.SelectMode{Session: 1}},

		{"1 before 2", join(quiet(), sessionDone(1, 0), sessionDone(2, 0), stop), 0, "user-abort", nil},
		{"1 before 3", join(quiet(), stop), long, "user-abort", nil},
		{"2 before 3", join(quiet(), sessionDone(1, 0), sessionDone(2, 0)), long, "max-sessions", nil},
		{"2 before 4", join(quiet(), sessionDone(1, 0), sessionDone(2, 100)), 0, "max-sessions", nil},
		{"3 before 4", join(quiet(), sessionDone(1, 100)), long, "max-hours", nil},
		{"4 before 5", join(quiet(), sessionDone(1, 100), one(selected(2, overloaded))), 0, "token-budget", nil},
		{"5 before 6", join(quiet(), one(selected(1, overloaded, low))), 0, "overload", nil},
		{"a post switch before all that comes before a session", join(quiet(), one(selected(1)), told(1, events.Fail, events.ReasonSpiral, func(a *events.AgentEnded) { a.Report = events.SessionReport{V: 1, Tokens: 100} }), stop), long, "kill-switch", nil},
	})
}
