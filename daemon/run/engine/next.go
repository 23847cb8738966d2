package engine

import (
	"cmp"
	"slices"
	"time"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/orchestrator"
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
	q := &view{s, w, now}
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
	when func(*view) bool
	then func(*view) Action
}

// rules is read from top to bottom, so their order is the precedence.
var rules = []nextRule{
	{"over", is(run.Over), wait("over")},
	{"halted", is(run.Halted), wait("halted")},
	{"log-integrity", (*view).broken, halt(events.HaltLogIntegrity)},

	{"cancel", (*view).cancelled, finish(events.EndCancelled)},
	{"stop-now", (*view).stoppedNow, (*view).stop},

	{"baseline", at(run.Started), gates(false)},
	{"agent", at(run.Agent), (*view).watchAgent},
	{"looking", at(run.Looking), (*view).watchRole},
	{"sent", (*view).sent, (*view).send},
	{"handed-over", (*view).handedOver, (*view).accept},
	{"expired", (*view).expired, halt(events.HaltExpired)},
	{"expire", (*view).expires, (*view).expire},
	{"asked-until", (*view).askedUntil, halt(events.HaltHours)},
	{"asked-stopping", (*view).askedStopping, halt(events.HaltStopped)},
	{"asking", at(run.Asking), (*view).awaitAnswer},
	{"agent-lost", (*view).lostTooOften, halt(events.HaltAgentLost)},
	{"lost", (*view).lost, (*view).again},
	{"session-refused", (*view).sessionRefused, (*view).anew},
	{"spawn-failed", (*view).spawnFailed, halt(events.HaltAgentFailed)},
	{"limited", (*view).limited, record},
	{"noop-again", (*view).provesAgain, gates(false)},
	{"noop-recorded", (*view).noop, record},
	{"gates", at(run.Ended), gates(false)},
	{"judging", at(run.Gates), gates(true)},
	{"role-cost", roleDue((*view).costSpent), halt(events.HaltCost)},
	{"role-tokens", roleDue((*view).tokensSpent), halt(events.HaltTokens)},
	{"role-turns", roleDue((*view).turnsSpent), halt(events.HaltTurns)},
	{"role-hours", roleDue((*view).timeSpent), halt(events.HaltHours)},
	{"role-hung", (*view).roleHung, halt(events.HaltAgentHung)},
	{"role-stopping", (*view).roleStopping, halt(events.HaltStopped)},
	{"role-limit", (*view).roleWaits, (*view).waitLimit},
	{"ask", (*view).asks, (*view).ask},
	{"look", (*view).looks, (*view).look},
	{"entry-unclear", (*view).entryUnclear, halt(events.HaltUnclear)},
	{"entry-failed", (*view).entryFailed, halt(events.HaltEntry)},
	{"record", at(run.Judged), record},

	{"foreign-start", (*view).foreignStart, halt(events.HaltForeign)},
	{"refused", (*view).refused, (*view).refuse},
	{"already-green", (*view).alreadyGreen, finish(events.EndAlreadyGreen)},
	{"foreign-on", (*view).foreignOn, halt(events.HaltForeign)},
	{"publish", (*view).publishes, (*view).publish},
	{"unlanded", (*view).unlanded, (*view).fail},
	{"on", (*view).goesOn, (*view).on},
	{"done", (*view).proven, finish(events.EndDone)},

	{"accepted", (*view).accepted, finish(events.EndDone)},

	{"red-landing", (*view).redLanding, finish(events.EndFailed)},

	{"git", (*view).gitDenied, halt(events.HaltGit)},
	{"drift", (*view).drifted, halt(events.HaltDrift)},
	{"foreign", (*view).foreign, halt(events.HaltForeign)},
	{"gate-unverifiable", (*view).unverifiable, halt(events.HaltUnverifiable)},
	{"never-red", (*view).neverRed, halt(events.HaltUnverifiable)},
	{"unproven", (*view).unproven, halt(events.HaltUnproven)},
	{"auth-failed", met(events.ResultAuthFailed), halt(events.HaltAuthFailed)},
	{"billing", met(events.ResultBilling), halt(events.HaltBilling)},
	{"kill-switch", (*view).killed, (*view).kill},
	{"needs-person", (*view).blocked, halt(events.HaltNeedsPerson)},
	{"unclear", (*view).unclear, halt(events.HaltUnclear)},
	{"user-abort", budgetEnds(orchestrator.UserAbort), halt(events.HaltUserAbort)},
	{"max-sessions", budgetEnds(orchestrator.MaxSessions), finish(events.EndGraceful)},
	{"max-hours", budgetEnds(orchestrator.MaxHours), halt(events.HaltMaxHours)},
	{"token-budget", budgetEnds(orchestrator.TokenBudget), halt(events.HaltTokenBudget)},
	{"stopped", (*view).stopping, halt(events.HaltStopped)},
	{"agent-hung", (*view).hungTooOften, halt(events.HaltAgentHung)},
	{"noop", (*view).noops, halt(events.HaltNoop)},
	{"iterations", (*view).iterationsSpent, rail(events.HaltIterations)},
	{"cost", (*view).costSpent, halt(events.HaltCost)},
	{"tokens", (*view).tokensSpent, halt(events.HaltTokens)},
	{"turns", (*view).turnsSpent, halt(events.HaltTurns)},
	{"sameness", fires(events.HaltSameness), rail(events.HaltSameness)},
	{"stuck", fires(events.HaltStuck), rail(events.HaltStuck)},
	{"signature", fires(events.HaltSignature), rail(events.HaltSignature)},
	{"hours", (*view).timeSpent, halt(events.HaltHours)},
	{"cycles", (*view).cyclesSpent, rail(events.HaltCycles)},
	{"plan", (*view).samePlan, rail(events.HaltPlan)},
	{"question", (*view).hasQuestion, (*view).question},
	{"back", (*view).goesBack, (*view).back},
	{"back-off", (*view).backingOff, (*view).backOff},
	{"limit", (*view).waiting, (*view).waitLimit},
	{"entry", (*view).enters, (*view).entry},
	{"select", (*view).selects, (*view).selectMode},
	{"overload", (*view).overloaded, halt(events.HaltOverload)},
	{"unsure", (*view).unsure, halt(events.HaltLowConfidence)},
	{"manual", (*view).manual, halt(events.HaltManual)},
}

func is(st run.Status) func(*view) bool { return func(q *view) bool { return q.Status == st } }
func at(st run.Stage) func(*view) bool  { return func(q *view) bool { return q.Stage == st } }

func wait(why string) func(*view) Action {
	return func(*view) Action { return Wait{Why: why} }
}

func gates(announced bool) func(*view) Action {
	return func(q *view) Action {
		return RunGates{Phase: q.Loop.Phase, Iteration: q.Loop.Iteration, Announced: announced}
	}
}

// settled says that nothing is under way, so that the run may be stopped. An
// agent under way is ended first; gates under way are dropped, as they prove
// nothing once the run stops.
func (q *view) settled() bool { return q.Stage != run.Agent && q.Stage != run.Looking }

func (q *view) broken() bool     { return q.Log.Broken != 0 }
func (q *view) cancelled() bool  { return q.Stop == events.StopCancel && q.settled() }
func (q *view) stoppedNow() bool { return q.Stop == events.StopNow && q.settled() && !q.proven() }
func (q *view) stopping() bool   { return q.Stop == events.StopAfterIteration }

// stop halts as it was asked for, or because of what made it necessary.
func (q *view) stop() Action { return halt(cmp.Or(q.Stopping.Reason, events.HaltStopped))(q) }

// foreign: somebody else has written to the work tree while the run was live, and
// the run would go on in it. One that has passed everything has come to its end, and
// proof that was changed needs more than a look.
func (q *view) foreign() bool   { return q.ready() && q.Foreign != nil }
func (q *view) foreignOn() bool { return q.foreign() && q.goesOn() }

// foreignStart says that another session changed files before any agent worked: a pinned
// file among them is no fault of the gates.
func (q *view) foreignStart() bool { return q.foreign() && q.Loop.Iteration == 0 }

// watchAgent keeps the announced agent, and ends it when the run must stop, its
// wall clock limit has passed, or what it builds on was rejected.
func (q *view) watchAgent() Action {
	l := q.Last.Start
	stop := q.Stop == events.StopNow || q.Stop == events.StopCancel || q.SendTo != ""
	return RunAgent{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt,
		Announced: true, End: stop || q.pastUntil(),
	}
}

// begin starts the next iteration, or the same one again when it was not spent.
func (q *view) begin() Action {
	if q.Loop.Redo {
		act := q.agent(q.Loop.Iteration, q.Loop.Attempt+1)
		act.Resume = q.session()
		return act
	}
	if !q.phase().Works() {
		return RunGates{Phase: q.Loop.Phase, Iteration: q.Loop.Iteration + 1}
	}
	return q.agent(q.Loop.Iteration+1, 1)
}

func (q *view) agent(iteration, attempt int) RunAgent {
	return RunAgent{Phase: q.Loop.Phase, Iteration: iteration, Attempt: attempt}
}

// again repeats a lost iteration: in its session where the program has one, else
// from its recorded start tree.
func (q *view) again() Action {
	act := q.agent(q.Loop.Iteration, q.Loop.Attempt+1)
	act.Resume = q.session()
	act.Restore = act.Resume == ""
	return act
}

// sessionRefused: the program did not go on in a session that it was to resume: it does
// not know it, or it is too long. It has done nothing, so that was no attempt at the
// work, and the next one begins a session of its own.
func (q *view) sessionRefused() bool {
	a := q.Last.Agent
	if q.Stage != run.Ended || !q.Loop.Unmoved || a.Cut != "" || a.GitDenied || a.Question != "" {
		return false
	}
	switch a.Result {
	case events.ResultContextOverflow:
		return true
	case events.ResultAgentError, events.ResultEmpty, events.ResultTruncated:
		return a.Usage.Tokens() == 0
	default:
		return false
	}
}

// anew repeats an iteration without its session, and keeps what was done in that.
func (q *view) anew() Action {
	act := q.agent(q.Loop.Iteration, q.Loop.Attempt+1)
	act.Keeps = true
	return act
}

// session is what the latest agent can go on in, if that makes sense: it was
// cut short, and had a session.
func (q *view) session() string { return Session(q.State) }

func (q *view) lost() bool {
	return q.Stage == run.Ended && q.Last.Agent.Outcome == events.Lost
}

func (q *view) lostTooOften() bool {
	return (q.lost() || q.Stage == run.Judged) && q.Loop.Losses >= q.flow.Limits.Losses
}

func (q *view) spawnFailed() bool {
	return q.Stage == run.Ended && q.Last.Agent.Outcome == events.SpawnFailed
}

// limited: the provider let the agent do no more before it had changed anything.
func (q *view) limited() bool {
	return q.Stage == run.Ended && q.cutShort() && !q.workedOn()
}

// workedOn says that the latest agent has changed files, or done in git what the run
// does not allow.
func (q *view) workedOn() bool {
	return q.Last.Agent.Tree != q.Last.Start.Tree || q.Last.Agent.GitDenied
}

// cutShort: the provider let the agent do no more, so what it left may be done,
// but is no failed iteration. A question that it has asked before goes first.
func (q *view) cutShort() bool {
	a := q.Last.Agent
	return a.Result.OfAccount() && a.Claim != events.ClaimBlocked && a.Question == "" && a.Misasked == ""
}

// noop: nothing was done, so nothing is judged. A question is never a no-op, nor
// one that is none, and neither is it to leave a pinned path changed. Where repositories are nested,
// work in them is not seen, so nobody can say that there was none; nor where the
// run has to write files, which may be ones that no tree holds.
func (q *view) noop() bool {
	return q.Stage == run.Ended && !rule.ProofBroken(q.Last.Results) && q.idled()
}

// idled says that the latest agent did nothing, whatever was judged since.
func (q *view) idled() bool {
	a := q.Last.Agent
	if q.inSeries() {
		return false // its record says what it did, wherever that was
	}
	if !q.phase().Works() || q.writesArtifacts() && (a.Outcome == events.Exited && a.Exit == 0 || a.Cut == events.CutLinger) {
		return false
	}
	if a.GitDenied || q.reported() || a.Claim == events.ClaimBlocked || a.Question != "" || a.Misasked != "" {
		return false
	}
	outcome, exit := a.Outcome, a.Exit
	switch a.Cut {
	case events.CutLinger:
		outcome, exit = events.Exited, 0 // it had a result, and stayed
	case events.CutTrying:
		outcome, exit = events.Exited, 1 // it would have failed
	case events.CutCost, events.CutTokens, events.CutTurns, events.CutRepetition, events.CutPrompt:
	}
	active := time.Duration(a.DurationMS) * time.Millisecond
	return rule.Noop(a.Tree != q.Last.Start.Tree, outcome, exit, active, q.flow.Limits.Noop.Within)
}

// provesAgain: the agent found nothing to do where gates had failed, so they run once
// more on the same tree: they may have failed by chance. Once in a row, and only on
// a tree of the run's own: that the start is red was seen before any work.
func (q *view) provesAgain() bool {
	return q.noop() && !rule.Hung(q.Last.Agent) && q.onRedTree() && slices.ContainsFunc(q.Last.Results, failed)
}

// onRedTree says that the latest agent is the first in a row that left a tree as it
// was which the run had made and had judged.
func (q *view) onRedTree() bool {
	r, tree := q.Last.Record, q.Last.Agent.Work
	return q.Loop.Noops == 0 && r.Iteration > 0 && r.Phase == q.Loop.Phase && r.Work == tree && tree != q.Facts.Work
}

// provenAgain says that the latest results are of such a second run.
func (q *view) provenAgain() bool {
	return q.Stage == run.Judged && q.idled() && q.onRedTree() && !rule.ProofBroken(q.Last.Before) && slices.ContainsFunc(q.Last.Before, failed)
}

func (q *view) writesArtifacts() bool { return q.has(events.GateArtifact) }

// has says that the phase is judged by a gate of a kind.
func (q *view) has(kind events.GateKind) bool {
	return slices.ContainsFunc(q.Facts.Gates, func(g events.Gate) bool {
		return g.Kind == kind && (g.Phase == "" || g.Phase == q.Loop.Phase)
	})
}

func (q *view) ready() bool { return q.Stage == run.Ready }

// fresh is true between iterations, when the latest record has not been
// decided on before.
func (q *view) fresh() bool { return q.ready() && q.Loop.Iteration > 0 && q.Loop.Fresh }

func (q *view) skipped() bool { return q.fresh() && q.Last.Record.Verdict == events.Skipped }

// proven: the work is done. A run of whole sessions goes on until a switch fires.
func (q *view) proven() bool { return q.passed() && !q.inSeries() }

func (q *view) passed() bool { return q.fresh() && q.Last.Record.Verdict == events.Pass }

// baseline decides on the gates that the run brought along. A workflow that
// judges by its own gates needs none of them red if the run brings no goal.
func (q *view) baseline() rule.BaselineDecision {
	d := rule.Baseline(q.Last.Baseline, q.Facts.Start)
	if d.Refused == events.RefusedGoalGreen && !q.flow.NeedsGoals() && !slices.ContainsFunc(q.Last.Baseline, isGoal) {
		d.Refused = ""
	}
	return d
}

func isGoal(r events.GateResult) bool { return r.Role == events.RoleGoal }

func (q *view) refused() bool {
	return q.ready() && q.Loop.Iteration == 0 && q.baseline().Refused != ""
}

func (q *view) alreadyGreen() bool {
	return q.ready() && q.Loop.Iteration == 0 && q.baseline().AlreadyGreen
}

func (q *view) drifted() bool {
	return q.fresh() && q.judged() && (q.Loop.Drifts > 1 && rule.ProofBroken(q.Last.Results) || q.unmoored())
}

// gitDenied: something was pushed, which cannot be undone, or history that the run
// keeps is still gone, or gone again.
func (q *view) gitDenied() bool {
	return q.fresh() && q.judged() && slices.ContainsFunc(q.Last.Results, func(r events.GateResult) bool {
		return r.Kind == events.GateGit && (r.Reason == events.ReasonPushed || r.Reason == events.ReasonHistory && q.Loop.Drifts > 1)
	})
}

// unmoored: what a person approved was changed, or files that no agent sees. That
// halts at once.
func (q *view) unmoored() bool {
	return slices.ContainsFunc(q.Last.Results, func(r events.GateResult) bool {
		return r.Reason == events.ReasonHoldoutChanged || r.Kind == events.GateAnchor && r.Verdict == events.Fail && r.Reason == events.ReasonPinChanged
	})
}

// judged says that gates ran in the latest iteration. They also do in one that
// does not count as the provider cut it short, if it had changed anything.
func (q *view) judged() bool {
	return !q.skipped() || q.cutShort() && q.workedOn()
}

func (q *view) unverifiable() bool {
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

// blocked: the agent cannot go on without a person. That it may not do what it
// has to is no matter of trying again either. One that asks what can be answered
// needs no halt, whatever it claims: the answer is what it waits for. And one that
// asks nothing that can be put to a person is told so, and asks anew.
func (q *view) blocked() bool {
	a := q.Last.Agent
	says := a.Claim == events.ClaimBlocked || a.Question != "" || a.Result == events.ResultNeedsHuman
	return q.fresh() && (a.Result == events.ResultNeedsPermission || says && a.Asks.Kind == "" && a.Misasked == "")
}

// met says that the latest agent ended so. Work that passed is done all the
// same.
func met(r events.Result) func(*view) bool {
	return func(q *view) bool { return q.fresh() && q.Last.Agent.Result == r }
}

// unproven: everything passes, but the files of the start do too, as they are today.
func (q *view) unproven() bool {
	if !q.fresh() || q.skipped() || !slices.ContainsFunc(q.Last.Results, elsewhere) {
		return false
	}
	return !slices.ContainsFunc(q.Last.Results, func(r events.GateResult) bool { return failed(r) && !elsewhere(r) })
}

// accepted: a person has accepted work that no control could prove, as it was judged.
func (q *view) accepted() bool {
	return q.ready() && q.Loop.Accepted == q.Last.Tree && q.Last.Tree != ""
}

func (q *view) noops() bool {
	return q.skipped() && q.Loop.Noops >= q.flow.Limits.Noop.Halt
}

// hungTooOften: who hangs is tried again once, and not for as long as it takes.
func (q *view) hungTooOften() bool { return q.fresh() && q.Loop.Hung >= rule.MostHung }

func (q *view) iterationsSpent() bool {
	return q.ready() && q.Loop.Iteration > 0 && rule.Exhausted(q.Loop.Spent, q.iterations())
}

// match asks the history about a rail. One that the workflow does not let halt
// never fires.
func (q *view) match(rail events.Halt) (rule.Match, bool) {
	if !q.fresh() || q.skipped() {
		return rule.Match{}, false
	}
	switch r := q.flow.Rails; {
	case rail == events.HaltSameness:
		return History(q.State, q.flow).Sameness()
	case rail == events.HaltStuck:
		return History(q.State, q.flow).Stuck(r.Stuck.Window)
	case rail == events.HaltSignature && r.Signature.Then == workflow.HaltRun:
		return q.Loop.History.SameSignature(r.Signature.Count)
	}
	return rule.Match{}, false
}

func fires(rail events.Halt) func(*view) bool {
	return func(q *view) bool {
		_, fired := q.match(rail)
		return fired
	}
}

// Session is the session of the latest agent, if the next one shall go on in it:
// it had begun something and was cut short, by its host or by its provider, and
// the same agent goes on.
func Session(s run.State) string {
	a, l := s.Last.Agent, s.Last.Start
	if w := s.Worker(); w.Agent != l.Agent || w.Level != l.Level {
		return ""
	}
	if s.Stage == run.Agent || a.Effect != l.Effect || a.Cut != "" && a.Cut != events.CutTrying {
		return ""
	}
	session := cmp.Or(a.Session, l.Session)
	switch {
	case a.Result == events.ResultStopped || a.Result == events.ResultInterrupted:
		return session
	case a.Result.OfAccount() && (a.Usage.Tokens() > 0 || a.Tree != l.Tree):
		return session // one that was never let in may not have kept any
	default:
		return ""
	}
}
