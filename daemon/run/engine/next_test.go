package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

var start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// history writes events one second apart, as a run's own log would hold them.
func history(data ...events.Data) run.State {
	var s run.State
	for i, d := range data {
		s = run.Evolve(s, events.Event{
			Aggregate: events.Run("01R"), Seq: uint64(i + 1), Time: start.Add(time.Duration(i) * time.Second), Data: d,
		})
	}
	return s
}

func flow() workflow.Workflow {
	w := workflow.Default()
	w.Name = "test"
	w.Phases = []workflow.Phase{{Name: "work", Prompt: "work.md", Gates: []workflow.Gate{{Group: workflow.Goals}}}}
	return w
}

func started(edit ...func(*events.RunStarted)) events.RunStarted {
	d := events.RunStarted{
		Handle: "01r", Phase: "work", Tree: "t0", Work: "t0", Limits: events.Limits{Iterations: 3},
		Gates: []events.Gate{{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}},
	}
	for _, f := range edit {
		f(&d)
	}
	return d
}

func result(v events.Verdict, sum string) []events.GateResult {
	exit := 0
	if v != events.Pass {
		exit = 1
	}
	return []events.GateResult{
		{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: v, Reason: events.ReasonExit, Exit: exit, FailingSum: sum},
		{Gate: "protected", Kind: events.GateProtected, Verdict: events.Pass, Reason: events.ReasonUnchanged},
	}
}

// baseline is a started run whose goal is red.
func baseline(edit ...func(*events.RunStarted)) []events.Data {
	return []events.Data{
		started(edit...),
		events.GatesStarted{Phase: "work"},
		events.GatesJudged{Phase: "work", Results: result(events.Fail, "a"), Tree: "t0", Work: "t0"},
	}
}

func agent(n, attempt int) events.IterationStarted {
	return events.IterationStarted{Phase: "work", Iteration: n, Attempt: attempt, Effect: "E", Tree: "t0", Work: "t0"}
}

func ended(n int, tree events.Tree, edit ...func(*events.AgentEnded)) events.AgentEnded {
	d := events.AgentEnded{
		Phase: "work", Iteration: n, Attempt: 1, Effect: "E", Outcome: events.Exited, DurationMS: 60_000, Tree: tree, Work: tree,
	}
	for _, f := range edit {
		f(&d)
	}
	return d
}

func judged(n int, tree events.Tree, rs []events.GateResult) events.GatesJudged {
	return events.GatesJudged{Phase: "work", Iteration: n, Results: rs, Tree: tree, Work: tree}
}

func record(n int, v events.Verdict, print string) events.IterationRecorded {
	return events.IterationRecorded{Phase: "work", Iteration: n, Attempt: 1, Verdict: v, Fingerprint: print, Signature: print}
}

// failed is a whole failed iteration.
func failed(n int, print string) []events.Data {
	tree := events.Tree("t" + print)
	return []events.Data{
		agent(n, 1), ended(n, tree),
		events.GatesStarted{Phase: "work", Iteration: n},
		judged(n, tree, result(events.Fail, print)), record(n, events.Fail, print),
	}
}

func noop(n int) []events.Data {
	return []events.Data{agent(n, 1), ended(n, "t0", func(d *events.AgentEnded) { d.DurationMS = 10 }), record(n, events.Skipped, "")}
}

// artifact adds a gate for files that the run has to write.
func artifact(d *events.RunStarted) {
	d.Gates = append(d.Gates, events.Gate{Name: "report", Kind: events.GateArtifact, Role: events.RoleGoal})
}

func drift(n int) []events.Data {
	rs := result(events.Pass, "")
	rs[1].Verdict, rs[1].Reason, rs[1].Files = events.Fail, events.ReasonPinChanged, "f1"
	return []events.Data{
		agent(n, 1), ended(n, "t1"),
		events.GatesStarted{Phase: "work", Iteration: n},
		judged(n, "t1", rs), record(n, events.Fail, "d"),
	}
}

// gitBroken is an iteration in which git shows what the run does not allow; edit is of
// the agent's end.
func gitBroken(n int, reason events.Reason, v events.Verdict, edit ...func(*events.AgentEnded)) []events.Data {
	rs := append(result(events.Pass, ""), events.GateResult{Gate: "git-rules", Kind: events.GateGit, Verdict: events.Fail, Reason: reason, Files: "f3"})
	edit = append(edit, func(d *events.AgentEnded) { d.GitDenied = true })
	return []events.Data{
		agent(n, 1), ended(n, "t1", edit...),
		events.GatesStarted{Phase: "work", Iteration: n},
		judged(n, "t1", rs), record(n, v, "d"),
	}
}

func replaced(n int) []events.Data {
	rs := result(events.Fail, "")
	rs[0].Reason, rs[0].Files = events.ReasonToolChanged, "f2"
	return []events.Data{
		agent(n, 1), ended(n, "t1"),
		events.GatesStarted{Phase: "work", Iteration: n},
		judged(n, "t1", rs), record(n, events.Fail, "d"),
	}
}

func join(parts ...[]events.Data) []events.Data {
	var out []events.Data
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func one(d ...events.Data) []events.Data { return d }

// nextCase is one line of a table: after such a history, what does a run do?
type nextCase struct {
	name  string
	given []events.Data
	after time.Duration // since the last event
	rule  string
	want  engine.Action // nil: only the rule is compared
}

func checkNext(t *testing.T, tests []nextCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := history(tt.given...)
			rule, act := engine.Explain(s, flow(), s.Clock.Latest.Add(tt.after))
			if rule != tt.rule {
				t.Fatalf("rule %q, want %q (action %+v)", rule, tt.rule, act)
			}
			if tt.want != nil {
				if diff := cmp.Diff(tt.want, act); diff != "" {
					t.Errorf("action (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestNextNamesTheOneThingToDo(t *testing.T) {
	t.Parallel()
	checkNext(t, []nextCase{
		{"the gates are judged before any work", one(started()), 0, "baseline", engine.RunGates{Phase: "work"}},
		{"announced gates are judged", baseline()[:2], 0, "judging", engine.RunGates{Phase: "work", Announced: true}},
		{"a red goal starts the first iteration", baseline(), 0, "start", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1}},
		{
			"a green goal refuses", join(baseline()[:2], one(judged(0, "t0", result(events.Pass, "")))), 0, "refused",
			engine.Finish{RunEnded: events.RunEnded{State: events.EndRefused, Reason: events.RefusedGoalGreen, Gate: "test", Tree: "t0"}},
		},
		{
			"a green goal is enough with until-green",
			join(baseline(func(d *events.RunStarted) { d.Start = events.UntilGreen })[:2], one(judged(0, "t0", result(events.Pass, "")))),
			0, "already-green", nil,
		},
		{
			"a green goal goes on with start-green",
			join(baseline(func(d *events.RunStarted) { d.Start = events.StartGreen })[:2], one(judged(0, "t0", result(events.Pass, "")))),
			0, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1},
		},
		{
			"an announced agent is found again", join(baseline(), one(agent(1, 1))), 0, "agent",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true},
		},
		{
			"a lost agent repeats its iteration from its start tree",
			join(baseline(), one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) { d.Outcome = events.Lost }))),
			0, "lost",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2, Restore: true},
		},
		{
			"three losses halt", join(baseline(), lost(1, 1), lost(1, 2), lost(1, 3)), 0, "agent-lost", nil,
		},
		{
			"an agent that cannot be started halts",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.Outcome = events.SpawnFailed }))),
			0, "spawn-failed", nil,
		},
		{"gates follow an agent that changed something", join(baseline(), one(agent(1, 1), ended(1, "t1"))), 0, "gates", engine.RunGates{Phase: "work", Iteration: 1}},
		{
			"FR-35: an agent that did nothing is a no-op and not judged",
			join(baseline(), noop(1)[:2]), 0, "noop-recorded", nil,
		},
		{
			"a quick agent may have written a file that no tree holds, so it is judged",
			join(baseline(artifact), noop(1)[:2]), 0, "gates",
			engine.RunGates{Phase: "work", Iteration: 1},
		},
		{
			"one that failed and left the tree as it was is a no-op all the same",
			join(baseline(artifact), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.Exit = 1 }))), 0, "noop-recorded", nil,
		},
		{
			"a no-op waits before the same iteration is tried again", join(baseline(), noop(1)), 0, "back-off",
			engine.Wait{Until: start.Add(5*time.Second + time.Minute), Why: "noop"},
		},
		{
			"after the back-off the iteration begins again", join(baseline(), noop(1)), 2 * time.Minute, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2},
		},
		{"FR-35: three no-ops in a row halt", join(baseline(), noop(1), noop(1), noop(1)), 0, "noop", nil},
		{
			"a question of an agent that did nothing else is not a no-op",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.DurationMS, d.Claim = 10, events.ClaimBlocked }))),
			0, "gates", nil,
		},
		{"a failed iteration is followed by the next", join(baseline(), failed(1, "a")), 0, "start", engine.RunAgent{Phase: "work", Iteration: 2, Attempt: 1}},
		{
			"two equal failures halt by sameness", join(baseline(), failed(1, "a"), failed(2, "a")), 0, "sameness",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltSameness, Phase: "work", Iteration: 2, Iterations: []int{1, 2}, Value: "a", Tree: "ta"}},
		},
		{
			"FR-38: a ping-pong halts as stuck",
			join(baseline(func(d *events.RunStarted) { d.Limits.Iterations = 9 }), failed(1, "a"), failed(2, "b"), failed(3, "a")),
			0, "stuck",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltStuck, Phase: "work", Iteration: 3, Iterations: []int{1, 3}, Value: "a", Tree: "ta"}},
		},
		{
			"iterations come before sameness", join(baseline(), failed(1, "a"), failed(2, "b"), failed(3, "b")), 0, "iterations",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltIterations, Phase: "work", Iteration: 3, Limit: 3, Tree: "tb"}},
		},
		{"the first change of a pinned path goes on", join(baseline(), drift(1)), 0, "start", nil},
		{
			"FR-65: a pinned path that is still changed halts as drift", join(baseline(), drift(1), drift(2)), 0, "drift",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltDrift, Phase: "work", Iteration: 2, Gate: "protected", Files: "f1", Tree: "t1"}},
		},
		{
			"FR-65: an agent that does nothing while a pinned path is changed is judged",
			join(baseline(), drift(1), one(agent(2, 1), ended(2, "t0", func(d *events.AgentEnded) { d.DurationMS = 10 }))), 0, "gates", nil,
		},
		{
			"nor does an agent get around it that meets a limit each time",
			join(baseline(), limitedDrift(1), limitedDrift(2)), 0, "drift", nil,
		},
		{
			"a tool that stays replaced halts as drift, too", join(baseline(), replaced(1), replaced(2)), 0, "drift",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltDrift, Phase: "work", Iteration: 2, Gate: "test", Files: "f2", Tree: "t1"}},
		},
		{
			"a push that is not allowed halts at once", join(baseline(), gitBroken(1, events.ReasonPushed, events.Fail)), 0, "git",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltGit, Phase: "work", Iteration: 1, Gate: "git-rules", Files: "f3", Tree: "t1"}},
		},
		{
			"also where the provider cut it short", join(baseline(), gitBroken(1, events.ReasonPushed, events.Skipped, func(d *events.AgentEnded) {
				d.Tree, d.Result = "t0", events.ResultRateLimited
			})), 0, "git", nil,
		},
		{"history that is lost for the first time goes on", join(baseline(), gitBroken(1, events.ReasonHistory, events.Fail)), 0, "start", nil},
		{
			"and halts when it is lost still", join(baseline(), gitBroken(1, events.ReasonHistory, events.Fail), gitBroken(2, events.ReasonHistory, events.Fail)), 0, "git", nil,
		},
		{
			"an agent that did nothing but what git does not allow is judged",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.DurationMS, d.GitDenied = 10, true }))), 0, "gates", nil,
		},
		{
			"a pinned path that is changed again later halts as drift",
			join(baseline(func(d *events.RunStarted) { d.Limits.Iterations = 9 }), drift(1), failed(2, "x"), drift(3)), 0, "drift", nil,
		},
		{
			"a pass is done, whatever the agent says",
			join(baseline(), one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) { d.Claim = events.ClaimBlocked }),
				events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "t1", result(events.Pass, "")), record(1, events.Pass, ""))),
			0, "done",
			engine.Finish{RunEnded: events.RunEnded{State: events.EndDone, Iteration: 1, Tree: "t1"}},
		},
		{"a question halts when the gates still fail", join(baseline(), blocked(1)), 0, "needs-person", nil},
		{
			"stop after this iteration waits for the agent", join(baseline(), one(agent(1, 1), events.StopRequested{Mode: events.StopAfterIteration})),
			0, "agent",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true},
		},
		{
			"stop now ends the agent", join(baseline(), one(agent(1, 1), events.StopRequested{Mode: events.StopNow})),
			0, "agent",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true, End: true},
		},
		{
			"and then halts with the tree that it left",
			join(baseline(), one(agent(1, 1), events.StopRequested{Mode: events.StopNow}, ended(1, "t1", func(d *events.AgentEnded) { d.Outcome = events.Stopped }))),
			0, "stop-now",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltStopped, Phase: "work", Iteration: 1, Tree: "t1"}},
		},
		{
			"a cancelled run ends", join(baseline(), one(agent(1, 1), events.StopRequested{Mode: events.StopCancel}, ended(1, "t1"))),
			0, "cancel", nil,
		},
		{
			"a resumed run repeats the iteration that was cut short",
			join(baseline(), one(agent(1, 1), events.StopRequested{Mode: events.StopNow}, ended(1, "t1", func(d *events.AgentEnded) { d.Outcome = events.Stopped }),
				events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{})),
			0, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2},
		},
		{
			"FR-93: after a resume no rail fires on what a person has seen",
			join(baseline(), failed(1, "a"), failed(2, "a"), one(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"})),
			0, "start",
			engine.RunAgent{Phase: "work", Iteration: 3, Attempt: 1},
		},
		{
			"findings of a person open a fresh window",
			join(baseline(), failed(1, "a"), failed(2, "a"), one(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}), failed(3, "a")),
			0, "start", nil,
		},
		{
			"active time is used up",
			join(baseline(func(d *events.RunStarted) { d.Limits.ActiveMS = 5000 }), failed(1, "a")), 0, "hours", nil,
		},
		{
			"time in which the host slept does not count",
			join(baseline(func(d *events.RunStarted) { d.Limits.ActiveMS = 10_000 }), one(events.RunSuspended{MS: 3_600_000}), failed(1, "a")), 3 * time.Second, "start", nil,
		},
		{
			"the wall clock limit ends an agent",
			join(baseline(func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(time.Minute).UnixMilli() }), one(agent(1, 1))), time.Hour, "agent",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true, End: true},
		},
		{
			"and its work is still judged",
			join(baseline(func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(time.Minute).UnixMilli() }),
				one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) { d.Outcome = events.Stopped }))), time.Hour, "gates", nil,
		},
		{"a halted run waits", join(baseline(), one(events.RunHalted{Reason: events.HaltStuck})), 0, "halted", engine.Wait{Why: "halted"}},
		{"a run that is over waits", join(baseline(), one(events.RunEnded{State: events.EndDone})), 0, "over", engine.Wait{Why: "over"}},
		{
			"an unknown event changes nothing, and the run can be stopped",
			join(baseline(), one(events.Unknown{Type: "phase.entered.v1"}, events.StopRequested{Mode: events.StopNow})), 0, "stop-now", nil,
		},
	})
}

func lost(n, attempt int) []events.Data {
	return one(agent(n, attempt), ended(n, "t1", func(d *events.AgentEnded) { d.Outcome, d.Attempt = events.Lost, attempt }))
}

func blocked(n int) []events.Data {
	return one(agent(n, 1), ended(n, "t1", func(d *events.AgentEnded) { d.Claim, d.Question = events.ClaimBlocked, "q1" }),
		events.GatesStarted{Phase: "work", Iteration: n}, judged(n, "t1", result(events.Fail, "a")), record(n, events.Fail, "a"))
}

// Lesson A15: events have numbers, and one that is missing is seen.
func TestNextHaltsALogThatIsNotWhole(t *testing.T) {
	t.Parallel()
	s := history(baseline()...)
	s = run.Evolve(s, events.Event{Aggregate: events.Run("01R"), Seq: 9, Time: start, Data: agent(1, 1)})
	if rule, _ := engine.Explain(s, flow(), start); rule != "log-integrity" {
		t.Errorf("rule %q, want log-integrity", rule)
	}
}

func TestNextOfAnIterationThatIsRecordedCarriesItsFingerprint(t *testing.T) {
	t.Parallel()
	given := join(baseline(), failed(1, "a")[:4])
	act, ok := engine.Next(history(given...), flow(), start).(engine.Record)
	if !ok || act.Verdict != events.Fail || len(act.Fingerprint) != 64 || len(act.Signature) != 64 {
		t.Fatalf("got %+v", act)
	}
	moved := join(baseline(), one(agent(1, 1), ended(1, "other"), events.GatesStarted{Phase: "work", Iteration: 1},
		judged(1, "other", result(events.Fail, "a"))))
	other, ok := engine.Next(history(moved...), flow(), start).(engine.Record)
	if !ok {
		t.Fatal("not recorded")
	}
	if other.Fingerprint == act.Fingerprint {
		t.Error("another tree must give another fingerprint")
	}
	if other.Signature != act.Signature {
		t.Error("another tree must not give another signature")
	}
}

func TestStartGreenNeedsAChangedTree(t *testing.T) {
	t.Parallel()
	green := func(d *events.RunStarted) { d.Start = events.StartGreen }
	given := func(tree events.Tree) []events.Data {
		return join(one(started(green), events.GatesStarted{Phase: "work"}, judged(0, "t0", result(events.Pass, ""))),
			one(agent(1, 1), ended(1, tree), events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, tree, result(events.Pass, ""))))
	}
	for tree, want := range map[events.Tree]events.Verdict{"t0": events.Fail, "t1": events.Pass} {
		act, ok := engine.Next(history(given(tree)...), flow(), start).(engine.Record)
		if !ok || act.Verdict != want {
			t.Errorf("tree %s: got %+v, want verdict %s", tree, act, want)
		}
	}
}
