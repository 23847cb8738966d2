package engine_test

import (
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

func TestNextKeepsToLimitsAndWaitsForThem(t *testing.T) {
	t.Parallel()
	checkNext(t, []nextCase{
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
			"so does one that reached no provider",
			join(baseline(), one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.Exit, d.Result = 1, events.ResultUnreachable }))), 0, "limited", nil,
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
			"a session that the program does not know uses up no iteration",
			join(baseline(), limited(1, 1), resumes(1, 2, "t1", events.ResultAgentError, 0)), 0, "session-refused",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 3, Keeps: true},
		},
		{
			"nor does one that is too long",
			join(baseline(), limited(1, 1), resumes(1, 2, "t1", events.ResultContextOverflow, 9)), 0, "session-refused",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 3, Keeps: true},
		},
		{
			"a resumed agent that worked and failed has used its iteration",
			join(baseline(), limited(1, 1), resumes(1, 2, "t2", events.ResultAgentError, 0)), 0, "gates", nil,
		},
		{
			"so has one that used tokens",
			join(baseline(), limited(1, 1), resumes(1, 2, "t1", events.ResultAgentError, 9)), 0, "gates", nil,
		},
		{
			"B-59: a lost agent goes on in its session, from what it left",
			join(baseline(), one(agent(1, 1), ended(1, "t1", func(d *events.AgentEnded) {
				d.Outcome, d.Result, d.Session = events.Lost, events.ResultInterrupted, "s1"
			}))), 0, "lost",
			engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2, Resume: "s1"},
		},
	})
}

// limitedDrift is an attempt at the first iteration that leaves a pinned path
// changed, and that the provider cuts short.
func limitedDrift(attempt int) []events.Data {
	out := drift(1)
	copy(out, limited(1, attempt)[:2])
	out[4] = record(1, events.Skipped, "")
	return out
}

// limited is an agent that worked, and met the limit of its account.
func limited(n, attempt int) []events.Data {
	start := agent(n, attempt)
	return one(start, ended(n, "t1", func(d *events.AgentEnded) {
		d.Attempt, d.Exit, d.Result, d.Session = attempt, 1, events.ResultRateLimited, "s1"
		d.Usage = events.Usage{Output: 120, TokensFrom: events.Reported}
	}), record(n, events.Skipped, ""))
}

// resumes is an agent that is to go on in a session, and fails.
func resumes(n, attempt int, tree events.Tree, r events.Result, tokens int64) []events.Data {
	start := agent(n, attempt)
	start.Session, start.Resumes = "s1", true
	return one(start, ended(n, tree, func(d *events.AgentEnded) {
		d.Attempt, d.Exit, d.Result = attempt, 1, r
		d.Usage = events.Usage{Output: tokens, TokensFrom: events.Reported}
	}))
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
