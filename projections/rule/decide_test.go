package rule

import (
	"fmt"
	"testing"
	"time"

	"autopilot/events"
)

func TestNoop(t *testing.T) {
	t.Parallel()
	const within = 10 * time.Second
	for _, c := range []struct {
		name    string
		changed bool
		outcome events.Outcome
		exit    int
		active  time.Duration
		want    bool
	}{
		{"changed and quick", true, events.Exited, 0, time.Second, false},
		{"changed and failed", true, events.Exited, 1, time.Hour, false},
		{"failed", false, events.Exited, 1, time.Hour, true},
		{"quick", false, events.Exited, 0, within, true},
		{"looked around for long", false, events.Exited, 0, within + time.Nanosecond, false},
		{"killed", false, events.Signaled, -1, time.Hour, true},
		{"silent", false, events.IdleTimeout, -1, time.Hour, true},
		{"over time", false, events.WallTimeout, -1, time.Hour, true},
		{"not started", false, events.SpawnFailed, -1, 0, true},
		{"stopped on request", false, events.Stopped, -1, time.Second, false},
		{"lost", false, events.Lost, -1, time.Second, false},
	} {
		equal(t, c.name, Noop(c.changed, c.outcome, c.exit, c.active, within), c.want)
	}
}

func TestBackoffRepeatsItsLastStep(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	m := time.Minute
	for n := -1; n <= 5; n++ {
		got = append(got, Backoff(n, []time.Duration{m, 5 * m, 15 * m}))
	}
	equal(t, "waits", got, []time.Duration{0, 0, m, 5 * m, 15 * m, 15 * m, 15 * m})
	equal(t, "without steps", Backoff(1, nil), time.Duration(0))
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state string
		halt  events.Halt
		want  int
	}{
		{"done", "", 0},
		{"ended", "", 0},
		{"already-green", "", 0},
		{"running", "", 0},
		{"failed", "", 1},
		{"refused", "", 1},
		{"waiting", "", 12},
		{"cancelled", "", 14},
		{"halted", events.HaltSameness, 10},
		{"halted", events.HaltStuck, 10},
		{"halted", events.HaltSignature, 10},
		{"halted", events.HaltDrift, 10},
		{"halted", events.HaltLogIntegrity, 10},
		{"halted", events.HaltUnverifiable, 10},
		{"halted", events.HaltIterations, 11},
		{"halted", events.HaltHours, 11},
		{"halted", events.HaltNoop, 11},
		{"halted", events.HaltAgentLost, 11},
		{"halted", events.HaltAgentHung, 11},
		{"halted", events.HaltAgentFailed, 11},
		{"halted", events.HaltStopped, 11},
		{"halted", events.HaltNeedsPerson, 13},
		{"halted", events.HaltWorkspaceGone, 13},
		{"halted", events.HaltRebooted, 13},
		{"halted", events.HaltInternal, 1},
		{"halted", "of-a-newer-version", 10},
		{"of-a-newer-version", "", 1},
	} {
		equal(t, fmt.Sprint(c.state, " ", c.halt), ExitCode(c.state, c.halt), c.want)
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	goal := func(name events.Name, v events.Verdict) events.GateResult {
		return events.GateResult{Gate: name, Role: events.RoleGoal, Verdict: v}
	}
	keep := func(name events.Name, v events.Verdict) events.GateResult {
		return events.GateResult{Gate: name, Role: events.RoleInvariant, Verdict: v}
	}
	names := func(n ...events.Name) []events.Name { return n }
	for _, c := range []struct {
		name    string
		results []events.GateResult
		start   events.Start
		want    BaselineDecision
	}{
		{"a red goal", []events.GateResult{goal("a", events.Fail), keep("p", events.Pass)}, "", BaselineDecision{Goals: names("a")}},
		{"a green goal beside a red one becomes an invariant", []events.GateResult{goal("a", events.Pass), goal("b", events.Fail)}, "", BaselineDecision{Goals: names("b"), Invariants: names("a")}},
		{"only green goals", []events.GateResult{goal("a", events.Pass), goal("b", events.Pass)}, "", BaselineDecision{Refused: events.RefusedGoalGreen, Gate: "a", Invariants: names("a", "b")}},
		{"a red invariant", []events.GateResult{goal("a", events.Fail), keep("p", events.Fail)}, events.StartGreen, BaselineDecision{Refused: events.RefusedInvariantRed, Gate: "p"}},
		{"unverifiable before red", []events.GateResult{keep("p", events.Fail), goal("a", events.Unverifiable)}, events.UntilGreen, BaselineDecision{Refused: events.RefusedUnverifiable, Gate: "a"}},
		{"gates that change what they judge", []events.GateResult{goal("a", events.Fail), {Gate: "p", Role: events.RoleInvariant, Verdict: events.Fail, Reason: events.ReasonTreeChanged}}, "", BaselineDecision{Refused: events.RefusedUnstable, Gate: "p"}},
		{"a set-up that fails", []events.GateResult{{Gate: "a", Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonSetup}, {Gate: "p", Role: events.RoleInvariant, Verdict: events.Skipped, Reason: events.ReasonSetup}}, events.StartGreen, BaselineDecision{Refused: events.RefusedSetup, Gate: "a"}},
		{"start green", []events.GateResult{goal("a", events.Pass)}, events.StartGreen, BaselineDecision{Invariants: names("a"), NeedsChange: true}},
		{"start green that is red is an ordinary run", []events.GateResult{goal("a", events.Fail)}, events.StartGreen, BaselineDecision{Goals: names("a")}},
		{"until green", []events.GateResult{goal("a", events.Pass)}, events.UntilGreen, BaselineDecision{Invariants: names("a"), AlreadyGreen: true}},
		{"until green that is red is an ordinary run", []events.GateResult{goal("a", events.Fail), goal("b", events.Pass)}, events.UntilGreen, BaselineDecision{Goals: names("a"), Invariants: names("b")}},
		{"no goal at all", []events.GateResult{keep("p", events.Pass)}, events.UntilGreen, BaselineDecision{Refused: events.RefusedGoalGreen}},
		{"a skipped goal says nothing", []events.GateResult{goal("a", events.Skipped)}, events.StartGreen, BaselineDecision{Refused: events.RefusedGoalGreen}},
		{"no result", nil, "", BaselineDecision{Refused: events.RefusedGoalGreen}},
	} {
		equal(t, c.name, Baseline(c.results, c.start), c.want)
	}
}
