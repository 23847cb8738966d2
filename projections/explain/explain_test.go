package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

func state(edit func(*run.State)) run.State {
	s := run.State{Status: run.Live, Facts: events.RunStarted{Handle: "k3xq", Limits: events.Limits{Iterations: 10}}}
	edit(&s)
	return s
}

func halted(h events.RunHalted) run.State {
	return state(func(s *run.State) { s.Status, s.Halt = run.Halted, &h })
}

func drifts(reason events.Reason) run.State {
	s := halted(events.RunHalted{Reason: events.HaltDrift, Iteration: 2})
	s.Last.Results = []events.GateResult{{Gate: "x", Kind: events.GateControl, Verdict: events.Fail, Reason: reason}}
	return s
}

func ended(e events.RunEnded) run.State {
	return state(func(s *run.State) { s.Status, s.End = run.Over, &e })
}

func TestWhySaysInASentenceWhatSettledIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		state run.State
		rule  string
		want  string
	}{
		{halted(events.RunHalted{Reason: events.HaltSameness, Iterations: []int{2, 3}}), "sameness", "halted by sameness: iterations 2 and 3 failed in the same way on the same tree"},
		{halted(events.RunHalted{Reason: events.HaltStuck, Iterations: []int{1, 3}}), "stuck", "halted as stuck: iterations 1 and 3 failed in the same way on the same tree"},
		{halted(events.RunHalted{Reason: events.HaltSignature, Iterations: []int{1, 2, 3}}), "signature", "halted by signature: iterations 1, 2 and 3 failed with the same failure"},
		{halted(events.RunHalted{Reason: events.HaltDrift, Iteration: 2}), "drift", "halted: pinned files were changed; found again after iteration 2"},
		{drifts(events.ReasonLeans), "drift", "halted: the gates pass only with files that the agent added; found again after iteration 2"},
		{drifts(events.ReasonOutsideChanged), "drift", "halted: installed packages that gates load were changed; found again after iteration 2"},
		{drifts(events.ReasonToolChanged), "drift", "halted: a program that gates run was changed; found again after iteration 2"},
		{moved(), "drift", "halted: files that a person approved were changed, as gate kept found after iteration 2"},
		{halted(events.RunHalted{Reason: events.HaltIterations, Limit: 10}), "iterations", "halted: the budget of 10 iterations is used up, and a gate still fails"},
		{halted(events.RunHalted{Reason: events.HaltStall, Iteration: 2, Used: 660, Limit: 600}), "stall-timeout", "halted: the session of iteration 2 made no progress for 11m0s before its end (limit 10m0s)"},
		{halted(events.RunHalted{Reason: events.HaltSpiral, Iteration: 2, Used: 3}), "spiral", "halted: the session of iteration 2 reports 3 in a spiral; one is enough"},
		{halted(events.RunHalted{Reason: events.HaltFailedWave, Iteration: 2, Used: 1}), "failed-wave", "halted: the session of iteration 2 reports 1 failed; one is enough"},
		{halted(events.RunHalted{Reason: events.HaltFailedWave, Iteration: 2}), "failed-wave", "halted: the session of iteration 2 failed, and reported nothing"},
		{halted(events.RunHalted{Reason: events.HaltCarryover, Iteration: 2, Used: 3, Of: 4, Limit: 50}), "carryover-too-high", "halted: the session of iteration 2 left 3 of 4 planned issues, more than 50 %"},
		{halted(events.RunHalted{Reason: events.HaltNoop, Limit: 3}), "noop", "halted: the agent changed nothing, 3 times in a row"},
		{halted(events.RunHalted{Reason: events.HaltStopped, Iteration: 1}), "stopped", "stopped on request after iteration 1; the work so far is kept"},
		{ended(events.RunEnded{State: events.EndDone, Iteration: 1, Tree: "0123456789abcdef"}), "done", "done after 1 iteration: every gate passed on tree 0123456789"},
		{ended(events.RunEnded{State: events.EndRefused, Reason: events.RefusedGoalGreen}), "refused", "refused: the gate passes already, so it cannot prove the task"},
		{ended(events.RunEnded{State: events.EndRefused, Reason: events.RefusedInvariantRed, Gate: "lint"}), "refused", "refused: invariant lint fails before any work"},
		{state(func(s *run.State) { s.Stage, s.Loop.Iteration, s.Loop.Spent = run.Agent, 2, 1 }), "running", "running: the agent works on iteration 2 of 10"},
	}
	for _, tt := range tests {
		rule, because := explain.Why(tt.state)
		if rule != tt.rule || because != tt.want {
			t.Errorf("%s:\n got %s: %s\nwant %s", tt.rule, rule, because, tt.want)
		}
	}
}

func halts() []events.Halt {
	return []events.Halt{
		events.HaltDrift, events.HaltLogIntegrity, events.HaltSameness, events.HaltStuck, events.HaltSignature,
		events.HaltUnverifiable, events.HaltIterations, events.HaltHours, events.HaltNoop, events.HaltAgentLost,
		events.HaltAgentHung, events.HaltAgentFailed, events.HaltStopped, events.HaltInternal, events.HaltNeedsPerson, events.HaltRebooted, events.HaltWorkspaceGone,
		events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover,
		events.HaltTokens, events.HaltCost, events.HaltTurns, events.HaltLimit, events.HaltAuthFailed, events.HaltBilling,
		events.HaltForeign, events.HaltClaimLost, events.HaltGit,
	}
}

// TestALimitInTimeIsNamedWithItsFlag: that of the run itself, and not what is left of another.
func TestALimitInTimeIsNamedWithItsFlag(t *testing.T) {
	t.Parallel()
	hung := events.AgentEnded{Iteration: 2, Effect: "E", Outcome: events.IdleTimeout, Result: events.ResultIdleTimeout, DurationMS: 800_000, SilentMS: 750_000}
	late := events.AgentEnded{Iteration: 2, Effect: "E", Outcome: events.WallTimeout, Result: events.ResultWallTimeout, DurationMS: 3600_000}
	with := func(wall, attempt int64, hungs int) run.State {
		return state(func(s *run.State) {
			s.Last.Session = events.IterationStarted{Effect: "E", IdleMS: 720_000, WallMS: wall}
			s.Last.Start, s.Last.Agent = s.Last.Session, hung
			s.Facts.Limits.AttemptMS, s.Loop.Hung = attempt, hungs
		})
	}
	for want, line := range map[string]string{
		"iteration 2: agent hung, silent for 12m30s (limit --idle 12m), and was ended after 13m20s, 0 files changed since the start": explain.Line(with(7200_000, 7200_000, 1), events.Event{Data: hung}),
		"iteration 2: agent was ended at its time limit of 1h (--iteration-timeout) after 1h0m0s, 0 files changed since the start":   explain.Line(with(3600_000, 3600_000, 0), events.Event{Data: late}),
		"iteration 2: agent was ended at its time limit of 59m after 1h0m0s, 0 files changed since the start":                        explain.Line(with(3540_000, 3600_000, 0), events.Event{Data: late}),
		"iteration 2: the agent hung without a change (1 of 2); the attempt does not count, and the next one begins at once":         explain.Line(with(1, 1, 1), events.Event{Data: events.IterationRecorded{Iteration: 2, Verdict: events.Skipped}}),
		"iteration 2: the agent hung again without a change; the attempt does not count":                                             explain.Line(with(1, 1, 2), events.Event{Data: events.IterationRecorded{Iteration: 2, Verdict: events.Skipped}}),
	} {
		if line != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
	}
	s := with(1, 1, 2)
	s.Status, s.Halt = run.Halted, &events.RunHalted{Reason: events.HaltAgentHung, Limit: 2, Used: 750_000}
	if rule, because := explain.Why(s); rule != "agent-hung" ||
		because != "halted: the agent hung 2 times in a row, without output, CPU time or a changed file; it was silent for 12m30s, and the limit is 12m (--idle)" {
		t.Errorf("%s: %s", rule, because)
	}
}

func TestEveryHaltHasASentenceAndANextCommandForItsRun(t *testing.T) {
	t.Parallel()
	for _, h := range halts() {
		s := halted(events.RunHalted{Reason: h, Iterations: []int{1, 2}})
		if _, because := explain.Why(s); because == "halted: "+string(h) || because == "" {
			t.Errorf("%s has no sentence of its own: %q", h, because)
		}
		next := explain.Next(s)
		if len(next) == 0 {
			t.Errorf("%s has no next command", h)
		}
		for _, n := range next {
			ofAll := strings.HasPrefix(n.Command, "apctl usage") || n.Command == "apctl agent check" || n.Command == "apctl peer claims"
			if !ofAll && !strings.Contains(n.Command, "k3xq") {
				t.Errorf("%s: %q does not name the run", h, n.Command)
			}
		}
	}
}

// What an agent may read says nothing of how a guard is got around.
func TestNextCommandsNeverLiftAGuard(t *testing.T) {
	t.Parallel()
	for _, h := range halts() {
		for _, n := range explain.Next(halted(events.RunHalted{Reason: h})) {
			if strings.Contains(n.Command, "allow-test-changes") || strings.Contains(n.Command, "--protect") {
				t.Errorf("%s: %s", h, n.Command)
			}
		}
	}
}

func TestLinesOfAnOrdinaryIteration(t *testing.T) {
	t.Parallel()
	s := state(func(*run.State) {})
	tests := []struct {
		data events.Data
		want string
	}{
		{events.IterationStarted{Iteration: 2, Attempt: 1}, "iteration 2/10: agent started"},
		{events.IterationStarted{Iteration: 2, Attempt: 3}, "iteration 2/10: agent started (attempt 3)"},
		{events.AgentEnded{Iteration: 2, Outcome: events.Exited, DurationMS: 61_000, Files: 1, Claim: events.ClaimDone}, `iteration 2: agent exited 0 after 1m1s, 1 file changed since the start; it says "done"`},
		{events.AgentEnded{Iteration: 2, Outcome: events.Signaled, Signal: 9, DurationMS: 1500, Files: 2}, "iteration 2: agent was killed by signal 9 after 1.5s, 2 files changed since the start"},
		{events.AgentEnded{Iteration: 2, Outcome: events.WallTimeout, Left: 2}, "iteration 2: agent was ended at its time limit after 0s, 0 files changed since the start; 2 processes could not be ended"},
		{events.AgentEnded{Iteration: 2, Outcome: events.Stopped, Killed: 1}, "iteration 2: agent was stopped after 0s, 0 files changed since the start"},
		{events.AgentEnded{Iteration: 2, Outcome: events.Exited, Killed: 3, Left: 1, LeftPIDs: []int{4711}}, "iteration 2: agent exited 0 after 0s, 0 files changed since the start; 3 processes that it left behind had to be ended, 1 process could not be ended: pid 4711"},
		{events.GatesJudged{Results: []events.GateResult{
			{Gate: "protected", Kind: events.GateProtected, Verdict: events.Pass, Reason: events.ReasonUnchanged, Exit: -1},
		}}, "baseline: protected pass (pinned files unchanged)"},
		{events.GatesJudged{Iteration: 2, Results: []events.GateResult{
			{Gate: "test", Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1, Failing: 3},
			{Gate: "protected", Kind: events.GateProtected, Verdict: events.Pass},
		}}, "iteration 2: test fail (exit 1, 3 failing)"},
		{events.IterationRecorded{Iteration: 2, Verdict: events.Skipped}, "iteration 2: the agent changed nothing; the attempt does not count, and the next one follows after a pause"},
		{events.StopRequested{Mode: events.StopNow}, "stopping now: the work so far is kept"},
		{events.RunSuspended{MS: 3_600_000}, "the host slept for 1h0m0s"},
		{events.Unknown{Type: "phase.entered.v1"}, "event phase.entered.v1 of a newer version"},
	}
	for _, tt := range tests {
		if got := explain.Line(s, events.Event{Data: tt.data}); got != tt.want {
			t.Errorf("\n got %s\nwant %s", got, tt.want)
		}
	}
}

func TestRowsPointAtTheFirstEqualIteration(t *testing.T) {
	t.Parallel()
	es := []events.Event{
		{Data: events.AgentEnded{Claim: events.ClaimDone}},
		{Data: events.GatesJudged{Results: []events.GateResult{{Failing: 2}, {Failing: 1}}}},
		{Data: events.IterationRecorded{Iteration: 1, Verdict: events.Fail, Fingerprint: "a", Work: "t1", Files: 1}},
		{Data: events.AgentEnded{}},
		{Data: events.IterationRecorded{Iteration: 2, Verdict: events.Skipped}},
		{Data: events.AgentEnded{}},
		{Data: events.GatesJudged{Results: []events.GateResult{{Failing: 3}}}},
		{Data: events.IterationRecorded{Iteration: 2, Verdict: events.Fail, Fingerprint: "a", Work: "t1"}},
	}
	want := []wire.WhyRow{
		{Iteration: 1, Verdict: "fail", Tree: "t1", Files: 1, Failing: 3, Fingerprint: "a", Claim: "done"},
		{Iteration: 2, Verdict: "skipped", FailingUnknown: true},
		{Iteration: 2, Verdict: "fail", Tree: "t1", Failing: 3, Fingerprint: "a", EqualTo: 1},
	}
	if diff := cmp.Diff(want, explain.Rows(slices.Values(es))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheNumberOfFailingTestsIsUnknownWhereNoParserKnewTheOutput(t *testing.T) {
	t.Parallel()
	fail := events.GateResult{Verdict: events.Fail}
	counted := events.GateResult{Verdict: events.Fail, Failing: 2, FailingSum: "f"}
	pass := events.GateResult{Verdict: events.Pass}
	for name, c := range map[string]struct {
		results []events.GateResult
		failing int
		unknown bool
	}{
		"all pass":        {[]events.GateResult{pass, pass}, 0, false},
		"one fails":       {[]events.GateResult{pass, fail}, 0, true},
		"one counted":     {[]events.GateResult{counted, pass}, 2, false},
		"one of each":     {[]events.GateResult{fail, counted}, 2, false},
		"cannot be run":   {[]events.GateResult{{Verdict: events.Unverifiable}}, 0, true},
		"before any gate": {nil, 0, true},
	} {
		var es []events.Event
		if c.results != nil {
			es = append(es, events.Event{Data: events.GatesJudged{Results: c.results}})
		}
		es = append(es, events.Event{Data: events.IterationRecorded{Iteration: 1, Verdict: events.Fail}})
		row := explain.Rows(slices.Values(es))[0]
		if row.Failing != c.failing || row.FailingUnknown != c.unknown {
			t.Errorf("%s: %d failing, unknown %v", name, row.Failing, row.FailingUnknown)
		}
	}
}

func TestRefusedRequestsAreToldWithWhoAsked(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]run.Refused{
		"": {},
		"the daemon refused 1 request from agents of this run: agents may read, but not decide":                         {Agents: 1},
		"the daemon refused 2 requests from gates of this run: gates may read, but not decide":                          {Gates: 2},
		"the daemon refused 1 request from agents and 2 requests from gates of this run: they may read, but not decide": {Agents: 1, Gates: 2},
	} {
		if got := explain.Refused(events.English, r); got != want {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

// moved is a run that was halted as what a person approved was changed.
func moved() run.State {
	s := halted(events.RunHalted{Reason: events.HaltDrift, Iteration: 2})
	s.Last.Results = []events.GateResult{{Gate: "kept", Kind: events.GateAnchor, Verdict: events.Fail, Reason: events.ReasonPinChanged}}
	return s
}
