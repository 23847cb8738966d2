package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/engine"
	"autopilot/daemon/workflow"
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
	w.Phases = []workflow.Phase{{Name: "work"}}
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

// limitedDrift is an attempt at the first iteration that leaves a pinned path
// changed, and that the provider cuts short.
func limitedDrift(attempt int) []events.Data {
	out := drift(1)
	copy(out, limited(1, attempt)[:2])
	out[4] = record(1, events.Skipped, "")
	return out
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

func TestNextNamesTheOneThingToDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []events.Data
		after time.Duration // since the last event
		rule  string
		want  engine.Action // nil: only the rule is compared
	}{
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
			"but the same failure once more halts at once",
			join(baseline(), failed(1, "a"), failed(2, "a"), one(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}), failed(3, "a")),
			0, "sameness", nil,
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
		{
			"FR-24: an agent that met a limit before it changed anything is not judged",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.Exit, d.Result = 1, events.ResultRateLimited }))), 0, "limited", nil,
		},
		{
			"one that changed something may be done",
			join(baseline(), limited(1, 1)[:2]), 0, "gates", nil,
		},
		{
			"and if not, that is no failure",
			join(baseline(), limited(1, 1)[:2], one(events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "t1", result(events.Fail, "a")))), 0, "record",
			engine.Record{IterationRecorded: events.IterationRecorded{Phase: "work", Iteration: 1, Attempt: 1, Verdict: events.Skipped, Tree: "t1", Work: "t1"}},
		},
		{
			"and the iteration goes on in its session, as it was none",
			join(baseline(), limited(1, 1)), 0, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2, Resume: "s1"},
		},
		{
			"an agent that was never let in has no session to go on in",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) {
				d.Exit, d.Result, d.Session = 1, events.ResultRateLimited, "s1"
			}), record(1, events.Skipped, ""))), 0, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2},
		},
		{
			"FR-24: until the limit ends the run waits",
			join(baseline(), limited(1, 1), one(waits(time.Hour))), time.Minute, "limit",
			engine.Wait{Until: start.Add(time.Hour), Why: "rate-limited"},
		},
		{
			"FR-46: and goes on when the clock has moved past it",
			join(baseline(), limited(1, 1), one(waits(time.Hour))), 2 * time.Hour, "start",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2, Resume: "s1"},
		},
		{
			"a wait that was lifted is over",
			join(baseline(), limited(1, 1), one(waits(time.Hour), events.LimitLifted{})), 0, "start", nil,
		},
		{
			"limits are no no-ops, however many",
			join(baseline(), limited(1, 1), limited(1, 2), limited(1, 3), limited(1, 4)), 0, "start", nil,
		},
		{
			"a wait is no activity",
			join(baseline(func(d *events.RunStarted) { d.Limits.ActiveMS = 30_000 }), limited(1, 1), one(waits(time.Hour))), 2 * time.Hour, "start", nil,
		},
		{
			"but counts for the time that the run was given",
			join(baseline(func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(30 * time.Minute).UnixMilli() }), limited(1, 1), one(waits(time.Hour))),
			time.Minute, "limit",
			engine.Wait{Until: start.Add(30 * time.Minute), Why: "rate-limited"},
		},
		{
			"which may pass before the first agent",
			join(baseline(func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(30 * time.Minute).UnixMilli() }), one(waits(time.Hour))),
			31 * time.Minute, "hours", nil,
		},
		{
			"FR-69: a login that is not valid halts, without a second try",
			join(baseline(), met(1, events.ResultAuthFailed)), 0, "auth-failed",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltAuthFailed, Phase: "work", Iteration: 1, Tree: "t1"}},
		},
		{"and so does an account without money", join(baseline(), met(1, events.ResultBilling)), 0, "billing", nil},
		{
			"FR-1: a process that stayed after its result has a result",
			join(baseline(), one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) {
				d.Outcome, d.Exit, d.Result, d.Cut = events.Stopped, -1, events.ResultEnded, events.CutLinger
			}))), 0, "gates", nil,
		},
		{
			"and is a no-op if it did nothing",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) {
				d.Outcome, d.Exit, d.Result, d.Cut, d.DurationMS = events.Stopped, -1, events.ResultEnded, events.CutLinger, 10
			}))), 0, "noop-recorded", nil,
		},
		{
			"an agent that only tried again waits for its account",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) {
				d.Outcome, d.Exit, d.Result, d.Cut = events.Stopped, -1, events.ResultOverloaded, events.CutTrying
			}))), 0, "limited", nil,
		},
		{
			"and did nothing, where no account is to blame",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) {
				d.Outcome, d.Exit, d.Result, d.Cut = events.Stopped, -1, events.ResultTruncated, events.CutTrying
			}))), 0, "noop-recorded", nil,
		},
		{
			"FR-71: a turn that was cut for its cost is judged first",
			join(baseline(dollars(5)), one(agent(1, 1), ended(1, "t1", cut(5)))), 0, "gates", nil,
		},
		{
			"and then the run halts",
			join(baseline(dollars(5)), one(agent(1, 1), ended(1, "t1", cut(5)), events.GatesStarted{Phase: "work", Iteration: 1},
				judged(1, "t1", result(events.Fail, "a")), record(1, events.Fail, "a"))), 0, "cost",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltCost, Phase: "work", Iteration: 1, Limit: 5e6, Used: 5e6, Tree: "t1"}},
		},
		{
			"a program that kept to what was left has used it up",
			join(baseline(dollars(5)), one(capped(5), ended(1, "t1", cut(5), func(d *events.AgentEnded) {
				d.Cut, d.Usage.MicroUSD = "", 4_990_000
			}), events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "t1", result(events.Fail, "a")), record(1, events.Fail, "a"))),
			0, "cost", nil,
		},
		{
			"but not if it was given less, as for the day",
			join(baseline(dollars(5)), one(capped(2), ended(1, "t1", cut(2), func(d *events.AgentEnded) { d.Cut = "" }),
				events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "t1", result(events.Fail, "a")), record(1, events.Fail, "a"))),
			0, "start", nil,
		},
		{
			"unless it is done",
			join(baseline(dollars(5)), one(agent(1, 1), ended(1, "t1", cut(5)), events.GatesStarted{Phase: "work", Iteration: 1},
				judged(1, "t1", result(events.Pass, "")), record(1, events.Pass, ""))), 0, "done", nil,
		},
		{
			"a turn that was cut for its cost halts for that, also when it left what was there",
			join(baseline(dollars(5), func(d *events.RunStarted) { d.Limits.Iterations = 9 }), failed(1, "a"),
				one(agent(2, 1), ended(2, "ta", cut(5)), events.GatesStarted{Phase: "work", Iteration: 2},
					judged(2, "ta", result(events.Fail, "a")), record(2, events.Fail, "a"))), 0, "cost", nil,
		},
		{
			"a limit holds over attempts that count for nothing",
			join(baseline(func(d *events.RunStarted) { d.Limits.Tokens = 100 }), limited(1, 1)), 0, "tokens",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltTokens, Phase: "work", Iteration: 1, Limit: 100, Used: 120, Tree: "t1"}},
		},
		{
			"FR-71: what is not known twice cannot be kept to",
			join(baseline(dollars(5), func(d *events.RunStarted) { d.Limits.Iterations = 9 }), failed(1, "a"), failed(2, "b")), 0, "cost", nil,
		},
		{
			"new findings of a person restart what may be used",
			join(baseline(dollars(5)), one(agent(1, 1), ended(1, "t1", cut(5)), events.GatesStarted{Phase: "work", Iteration: 1},
				judged(1, "t1", result(events.Fail, "a")), record(1, events.Fail, "a"), events.RunHalted{Reason: events.HaltCost}, events.RunResumed{Note: "n"})),
			0, "start", nil,
		},
		{
			"an agent that may do nothing that it has to needs a person",
			join(baseline(), met(1, events.ResultNeedsPermission)), 0, "needs-person", nil,
		},
		{
			"B-78: an agent that asks and did nothing else needs a person",
			join(baseline(), met(1, events.ResultNeedsHuman)), 0, "needs-person", nil,
		},
		{
			"B-59: a lost agent goes on in its session, from what it left",
			join(baseline(), one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) {
				d.Outcome, d.Result, d.Session = events.Lost, events.ResultInterrupted, "s1"
			}))), 0, "lost",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2, Resume: "s1"},
		},
		{"a halted run waits", join(baseline(), one(events.RunHalted{Reason: events.HaltStuck})), 0, "halted", engine.Wait{Why: "halted"}},
		{"a run that is over waits", join(baseline(), one(events.RunEnded{State: events.EndDone})), 0, "over", engine.Wait{Why: "over"}},
		{
			"an unknown event changes nothing, and the run can be stopped",
			join(baseline(), one(events.Unknown{Type: "phase.entered.v1"}, events.StopRequested{Mode: events.StopNow})), 0, "stop-now", nil,
		},
	}
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

// limited is an agent that worked, and met the limit of its account.
func limited(n, attempt int) []events.Data {
	start := agent(n, attempt)
	return one(start, ended(n, "t1", func(d *events.AgentEnded) {
		d.Attempt, d.Exit, d.Result, d.Session = attempt, 1, events.ResultRateLimited, "s1"
		d.Usage = events.Usage{Output: 120, TokensFrom: events.Reported}
	}), record(n, events.Skipped, ""))
}

func met(n int, r events.Result) []events.Data {
	return one(agent(n, 1), ended(n, "t1", func(d *events.AgentEnded) { d.Exit, d.Result = 1, r }), record(n, events.Skipped, ""))
}

func waits(d time.Duration) events.LimitWaiting {
	return events.LimitWaiting{Cause: events.LimitRate, UntilMS: start.Add(d).UnixMilli()}
}

func dollars(n int64) func(*events.RunStarted) {
	return func(d *events.RunStarted) { d.Limits.MicroUSD = n * 1e6 }
}

func capped(usd int64) events.IterationStarted {
	d := agent(1, 1)
	d.MicroUSD = usd * 1e6
	return d
}

func cut(usd int64) func(*events.AgentEnded) {
	return func(d *events.AgentEnded) {
		d.Outcome, d.Exit, d.Result, d.Cut = events.Stopped, -1, events.ResultBudget, events.CutCost
		d.Usage = events.Usage{Output: 1, TokensFrom: events.Reported, MicroUSD: usd * 1e6, CostFrom: events.Computed}
	}
}

func lost(n, attempt int) []events.Data {
	return one(agent(n, attempt), ended(n, "t1", func(d *events.AgentEnded) { d.Outcome, d.Attempt = events.Lost, attempt }))
}

func blocked(n int) []events.Data {
	return one(agent(n, 1), ended(n, "t1", func(d *events.AgentEnded) { d.Claim, d.Question = events.ClaimBlocked, "q1" }),
		events.GatesStarted{Phase: "work", Iteration: n}, judged(n, "t1", result(events.Fail, "a")), record(n, events.Fail, "a"))
}

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
