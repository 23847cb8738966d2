package engine

import (
	"slices"
	"time"

	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Next names the one thing that the run does now: the action of the first rule
// of the table whose condition holds.
func Next(s run.State, w workflow.Workflow, now time.Time) Action {
	_, act := Explain(s, w, now)
	return act
}

// Explain is Next with the name of the rule that held.
func Explain(s run.State, w workflow.Workflow, now time.Time) (string, Action) {
	q := view{s, w, now}
	for _, r := range rules {
		if r.when(q) {
			return r.name, r.then(q)
		}
	}
	return "start", q.begin()
}

// view is what a rule may look at.
type view struct {
	run.State
	flow workflow.Workflow
	now  time.Time
}

type nextRule struct {
	name string
	when func(view) bool
	then func(view) Action
}

// rules is read from top to bottom, so their order is the precedence.
var rules = []nextRule{
	{"over", is(run.Over), wait("over")},
	{"halted", is(run.Halted), wait("halted")},
	{"log-integrity", view.broken, halt(events.HaltLogIntegrity)},

	{"cancel", view.cancelled, finish(events.EndCancelled)},
	{"stop-now", view.stoppedNow, halt(events.HaltStopped)},

	{"baseline", at(run.Started), gates(false)},
	{"agent", at(run.Agent), view.watchAgent},
	{"agent-lost", view.lostTooOften, halt(events.HaltAgentLost)},
	{"lost", view.lost, view.again},
	{"spawn-failed", view.spawnFailed, halt(events.HaltAgentFailed)},
	{"noop-recorded", view.noop, record},
	{"gates", at(run.Ended), gates(false)},
	{"judging", at(run.Gates), gates(true)},
	{"record", at(run.Judged), record},

	{"refused", view.refused, view.refuse},
	{"already-green", view.alreadyGreen, finish(events.EndAlreadyGreen)},
	{"done", view.passed, finish(events.EndDone)},

	{"drift", view.drifted, halt(events.HaltDrift)},
	{"gate-unverifiable", view.unverifiable, halt(events.HaltUnverifiable)},
	{"needs-person", view.blocked, halt(events.HaltNeedsPerson)},
	{"stopped", view.stopping, halt(events.HaltStopped)},
	{"noop", view.noops, halt(events.HaltNoop)},
	{"iterations", view.iterationsSpent, halt(events.HaltIterations)},
	{"sameness", fires(events.HaltSameness), halt(events.HaltSameness)},
	{"stuck", fires(events.HaltStuck), halt(events.HaltStuck)},
	{"signature", fires(events.HaltSignature), halt(events.HaltSignature)},
	{"hours", view.timeSpent, halt(events.HaltHours)},
	{"back-off", view.backingOff, view.backOff},
}

func is(st run.Status) func(view) bool { return func(q view) bool { return q.Status == st } }
func at(st run.Stage) func(view) bool  { return func(q view) bool { return q.Stage == st } }

func wait(why string) func(view) Action {
	return func(view) Action { return Wait{Why: why} }
}

func gates(announced bool) func(view) Action {
	return func(q view) Action {
		return RunGates{Phase: q.Loop.Phase, Iteration: q.Loop.Iteration, Announced: announced}
	}
}

// settled says that nothing is under way, so that the run may be stopped. An
// agent under way is ended first; gates under way are dropped, as they prove
// nothing once the run stops.
func (q view) settled() bool { return q.Stage != run.Agent }

func (q view) broken() bool     { return q.Log.Broken != 0 }
func (q view) cancelled() bool  { return q.Stop == events.StopCancel && q.settled() }
func (q view) stoppedNow() bool { return q.Stop == events.StopNow && q.settled() && !q.passed() }
func (q view) stopping() bool   { return q.Stop == events.StopAfterIteration }

// watchAgent keeps the announced agent, and ends it when the run must stop or
// its wall clock limit has passed.
func (q view) watchAgent() Action {
	l := q.Last.Start
	stop := q.Stop == events.StopNow || q.Stop == events.StopCancel
	return RunAgent{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt,
		Announced: true, End: stop || q.pastUntil(),
	}
}

// begin starts the next iteration, or the same one again when it was not spent.
func (q view) begin() Action {
	if q.Loop.Redo {
		return q.agent(q.Loop.Iteration, q.Loop.Attempt+1)
	}
	return q.agent(q.Loop.Iteration+1, 1)
}

func (q view) agent(iteration, attempt int) RunAgent {
	return RunAgent{Phase: q.Loop.Phase, Iteration: iteration, Attempt: attempt}
}

// again repeats a lost iteration from its recorded start tree.
func (q view) again() Action {
	act := q.agent(q.Loop.Iteration, q.Loop.Attempt+1)
	act.Restore = true
	return act
}

func (q view) lost() bool {
	return q.Stage == run.Ended && q.Last.Agent.Outcome == events.Lost
}

func (q view) lostTooOften() bool {
	return q.lost() && q.Loop.Losses >= q.flow.Limits.Losses
}

func (q view) spawnFailed() bool {
	return q.Stage == run.Ended && q.Last.Agent.Outcome == events.SpawnFailed
}

// noop: nothing was done, so nothing is judged. A question is never a no-op, and
// neither is it to leave a pinned path changed. Where repositories are nested,
// work in them is not seen, so nobody can say that there was none; nor where the
// run has to write files, which may be ones that no tree holds.
func (q view) noop() bool {
	a := q.Last.Agent
	if q.writesArtifacts() && a.Outcome == events.Exited && a.Exit == 0 {
		return false
	}
	if q.Stage != run.Ended || a.Claim == events.ClaimBlocked || a.Question != "" || rule.ProofBroken(q.Last.Results) {
		return false
	}
	active := time.Duration(a.DurationMS) * time.Millisecond
	return rule.Noop(a.Tree != q.Last.Start.Tree, a.Outcome, a.Exit, active, q.flow.Limits.Noop.Within)
}

func (q view) writesArtifacts() bool {
	return slices.ContainsFunc(q.Facts.Gates, func(g events.Gate) bool { return g.Kind == events.GateArtifact })
}

func (q view) ready() bool { return q.Stage == run.Ready }

// fresh is true between iterations, when the latest record has not been
// decided on before.
func (q view) fresh() bool { return q.ready() && q.Loop.Iteration > 0 && q.Loop.Fresh }

func (q view) skipped() bool { return q.fresh() && q.Last.Record.Verdict == events.Skipped }

func (q view) passed() bool { return q.fresh() && q.Last.Record.Verdict == events.Pass }

func (q view) baseline() rule.BaselineDecision {
	return rule.Baseline(q.Last.Baseline, q.Facts.Start)
}

func (q view) refused() bool {
	return q.ready() && q.Loop.Iteration == 0 && q.baseline().Refused != ""
}

func (q view) alreadyGreen() bool {
	return q.ready() && q.Loop.Iteration == 0 && q.baseline().AlreadyGreen
}

func (q view) drifted() bool {
	return q.fresh() && !q.skipped() && q.Loop.Drifts > 1 && rule.ProofBroken(q.Last.Results)
}

func (q view) unverifiable() bool {
	if !q.fresh() || q.skipped() {
		return false
	}
	for _, r := range q.Last.Results {
		if r.Verdict == events.Unverifiable {
			return true
		}
	}
	return false
}

func (q view) blocked() bool {
	return q.fresh() && !q.skipped() &&
		(q.Last.Agent.Claim == events.ClaimBlocked || q.Last.Agent.Question != "")
}

func (q view) noops() bool {
	return q.skipped() && q.Loop.Noops >= q.flow.Limits.Noop.Halt
}

func (q view) iterationsSpent() bool {
	return q.ready() && q.Loop.Iteration > 0 && rule.Exhausted(q.Loop.Spent, q.Facts.Limits.Iterations)
}

// match asks the history about a rail. One that the workflow does not let halt
// never fires.
func (q view) match(rail events.Halt) (rule.Match, bool) {
	if !q.fresh() || q.skipped() {
		return rule.Match{}, false
	}
	switch r := q.flow.Rails; {
	case rail == events.HaltSameness:
		return q.Loop.History.Sameness()
	case rail == events.HaltStuck:
		return q.Loop.History.Stuck(r.Stuck.Window)
	case rail == events.HaltSignature && r.Signature.Then == workflow.HaltRun:
		return q.Loop.History.SameSignature(r.Signature.Count)
	}
	return rule.Match{}, false
}

func fires(rail events.Halt) func(view) bool {
	return func(q view) bool {
		_, fired := q.match(rail)
		return fired
	}
}

func (q view) pastUntil() bool {
	u := q.Facts.Limits.UntilMS
	return u > 0 && !q.now.Before(time.UnixMilli(u))
}

func (q view) timeSpent() bool {
	limit := time.Duration(q.Facts.Limits.ActiveMS) * time.Millisecond
	return q.ready() && q.Loop.Iteration > 0 &&
		(q.pastUntil() || limit > 0 && q.Clock.Active(q.now) >= limit)
}

func (q view) backOffEnd() time.Time {
	return q.Clock.Recorded.Add(rule.Backoff(q.Loop.Noops, q.flow.Limits.Noop.Backoff))
}

func (q view) backingOff() bool { return q.skipped() && q.now.Before(q.backOffEnd()) }

// backOff waits, but not beyond the run's own limits.
func (q view) backOff() Action {
	until := q.backOffEnd()
	if end, ok := q.Deadline(); ok && end.Before(until) {
		until = end
	}
	return Wait{Until: until, Why: "noop"}
}

// Deadline is when the run's own limits end it, if it stays awake.
func (q view) Deadline() (time.Time, bool) { return Deadline(q.State, q.now) }

// Deadline is when the time limits of a live run end it, if the host stays
// awake from now on: the earlier of active time and wall clock.
func Deadline(s run.State, now time.Time) (time.Time, bool) {
	var end time.Time
	if l := s.Facts.Limits.ActiveMS; l > 0 {
		end = now.Add(time.Duration(l)*time.Millisecond - s.Clock.Active(now))
	}
	if u := s.Facts.Limits.UntilMS; u > 0 {
		if t := time.UnixMilli(u); end.IsZero() || t.Before(end) {
			end = t
		}
	}
	return end, !end.IsZero()
}
