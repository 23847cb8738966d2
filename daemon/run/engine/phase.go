package engine

import (
	"time"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file holds the rules of workflows that have more than one phase, or gates
// at which somebody looks or answers.

func (q *view) phase() workflow.Phase {
	ph, _ := q.flow.Phase(string(q.Loop.Phase))
	return ph
}

// iterations is how many a phase has each time that it is entered.
func (q *view) iterations() int {
	if n := q.phase().Limits.Iterations; n > 0 && len(q.Facts.Budgets) == 0 {
		return n
	}
	return q.Budget()
}

// enters: what the phase needs to begin was not judged yet.
func (q *view) enters() bool { return q.ready() && !q.Loop.Begun && len(q.phase().Entry) > 0 }

func (q *view) entry() Action {
	return RunGates{Phase: q.Loop.Phase, Iteration: q.Loop.Iteration, Entry: true}
}

func (q *view) entryFailed() bool { return q.Stage == run.Judged && q.Loop.AtEntry }

// watchRole keeps the announced session, and ends it when the run must stop.
func (q *view) watchRole() Action {
	l := q.Last.Role
	stop := q.Stop == events.StopNow || q.Stop == events.StopCancel || q.SendTo != ""
	return RunRole{Gate: l.Gate, Role: l.Role, Set: l.Set, Round: l.Round, Announced: true, End: stop || q.pastUntil()}
}

// looks: somebody has to look, and the answer that this needs is there.
func (q *view) looks() bool {
	r, l, due := q.due()
	return due && l.Next != "" && (l.Ask == nil || q.Replied(r.Gate))
}

func (q *view) look() Action {
	r, l, _ := q.due()
	return RunRole{Gate: r.Gate, Role: l.Next, Set: r.Set, Round: l.Round}
}

// asks: a person has to answer.
func (q *view) asks() bool {
	r, l, due := q.due()
	return due && (r.Kind == events.GateApproval || l.Ask != nil && !q.Replied(r.Gate))
}

func (q *view) ask() Action {
	r, l, _ := q.due()
	if r.Kind == events.GateApproval {
		return Ask{Gate: r.Gate, Kind: events.AskApproval, Set: r.Set}
	}
	return Ask{Gate: r.Gate, Kind: events.AskText, Set: r.Set, Round: l.Round}
}

// hasQuestion: the iteration ended with a question to a person, and nothing ends
// the run. Rails and limits come first, so nobody gets around them by asking, and
// nobody is asked for nothing: the iteration counts as any other, so there are no
// more questions than iterations.
func (q *view) hasQuestion() bool { return q.ready() && q.Loop.Asks }

func (q *view) question() Action { return Ask{Kind: q.Last.Agent.Asks.Kind} }

func (q *view) roleWaits() bool {
	_, l, due := q.due()
	return due && l.Next != "" && q.waiting()
}

// roleDue: somebody would have to look now, and that holds. What ends a run
// between agents ends it between those who look too: one that was ended as the
// time was over would be begun again for ever.
func roleDue(that func(*view) bool) func(*view) bool {
	return func(q *view) bool { return q.looks() && that(q) }
}

// roleHung: a role that hangs is tried again once, as any agent.
func (q *view) roleHung() bool {
	return q.Stage == run.Judged && rule.HungLooks(q.Looks) >= rule.MostHung
}

// roleStopping: nothing is under way while a role waits for a limit, so there is
// nothing to wait for. A resume goes on with it.
func (q *view) roleStopping() bool { return q.roleWaits() && q.stopping() }

// awaitAnswer waits for a command, or for the time of the question or the run.
func (q *view) awaitAnswer() Action {
	w := Wait{Why: "answer"}
	for _, ms := range []int64{q.Question.ExpiresMS, q.Facts.Limits.UntilMS} {
		if t := time.UnixMilli(ms); ms > 0 && (w.Until.IsZero() || t.Before(w.Until)) {
			w.Until = t
		}
	}
	return w
}

// due is what the iteration waits for, once its gates were judged.
func (q *view) due() (r events.GateResult, l rule.Look, ok bool) {
	if q.Stage != run.Judged {
		return r, l, false
	}
	if q.flow.Rails.Red == workflow.HaltRun {
		return q.Due(events.GateRed)
	}
	return q.Due()
}

// neverRed: all holds but that the tests were seen to fail before the work, and no
// work on top of it can bring that back.
//
// Source: atdd-kit, seeds 3.4 (9) and lesson A31.
func (q *view) neverRed() bool {
	if q.flow.Rails.Red != workflow.HaltRun || !q.fresh() || q.skipped() {
		return false
	}
	never := false
	for _, r := range q.Last.Results {
		switch {
		case rule.Passes(r):
		case rule.NeverRed(r):
			never = true
		default:
			return false
		}
	}
	return never
}

func (q *view) asking() bool { return q.Stage == run.Asking && q.Question != nil }

// handedOver: the gate that asks was handed over by who started the run, so nobody
// is waited for. Who rejects it later is heard all the same.
//
// Source: atdd-kit, seeds 3.1 and 3.6 AL-1.
func (q *view) handedOver() bool {
	return q.Stage == run.Judged && q.Question != nil && q.Question.Handoff
}

func (q *view) accept() Action {
	return Accept{events.QuestionAnswered{
		Number: q.Question.Number, Gate: q.Question.Gate, Choice: events.ChoiceOK, Set: q.Question.Set, Assurance: events.AssuredHandoff,
	}}
}

func (q *view) expired() bool { return q.asking() && q.Question.Expired }

func (q *view) expires() bool {
	return q.asking() && q.Question.ExpiresMS > 0 && !q.now.Before(time.UnixMilli(q.Question.ExpiresMS))
}

func (q *view) expire() Action { return Expire{events.QuestionExpired{Number: q.Question.Number}} }

// askedStopping: nothing is under way while a person is asked, so there is nothing
// to wait for. The question stays, and a resume goes on with it.
func (q *view) askedStopping() bool { return q.asking() && q.stopping() }

func (q *view) askedUntil() bool { return q.asking() && q.pastUntil() }

// goesOn: the phase passed, and is not the last.
func (q *view) goesOn() bool { return q.passed() && q.flow.After(string(q.Loop.Phase)) != "" }

func (q *view) on() Action {
	return q.enter(q.flow.After(string(q.Loop.Phase)), events.WayOn)
}

// publishes: what has passed is to be shown where people review it, or to land, and was
// not yet. To be shown it takes a run about an issue on a branch of its own: nothing else is
// ever pushed. One that was handed off leaves its record wherever it works.
func (q *view) publishes() bool {
	return q.passed() && q.phase().Publish && (q.Facts.Land.Commit != "" || q.Facts.Issue > 0 && (q.Facts.Branch != "" || len(q.Handed) > 0)) &&
		(q.Published == nil || q.Published.Iteration != q.Loop.Iteration)
}

// unlanded: all gates of a landing have passed, and its target did not move all the same.
func (q *view) unlanded() bool {
	return q.passed() && q.Published != nil && (q.Published.Landing == events.LandMoved || q.Published.Landing == events.LandFailed)
}

func (q *view) fail() Action {
	return Finish{events.RunEnded{State: events.EndFailed, Iteration: q.Loop.Iteration, Tree: q.Last.Tree, Error: q.Published.Problem}}
}

// redLanding: a gate fails on the merged tree. Nobody works on that here: it goes back to
// the run whose work it is.
func (q *view) redLanding() bool {
	return q.Facts.Land.Commit != "" && q.fresh() && q.Last.Record.Verdict == events.Fail
}

func (q *view) publish() Action { return Publish{Phase: q.Loop.Phase, Iteration: q.Loop.Iteration} }

// goesBack: the phase did not pass, and an earlier one has to work on that.
func (q *view) goesBack() bool {
	return q.fresh() && q.Last.Record.Verdict == events.Fail && q.phase().Unclean != ""
}

func (q *view) back() Action {
	act := q.enter(q.phase().Unclean, events.WayBack)
	act.Cycle++
	act.Plan = q.plan()
	return act
}

// sent: a person has findings for an earlier phase. What was under way is not
// judged: it is worked on first.
//
// Source: atdd-kit, seeds 3.7: a rejection invokes the design again.
func (q *view) sent() bool { return q.SendTo != "" && q.Stage != run.Gates }

func (q *view) send() Action { return q.enter(string(q.SendTo), events.WaySent) }

func (q *view) enter(phase string, way events.Way) Enter {
	return Enter{events.PhaseEntered{
		Phase: events.Name(phase), From: q.Loop.Phase, Way: way, Cycle: q.Loop.Entered.Cycle, Iteration: q.Loop.Iteration,
		Tree: q.Last.Tree, Work: q.Last.Work,
	}}
}

func (q *view) cyclesSpent() bool {
	return q.goesBack() && q.Loop.Entered.Cycle >= q.flow.Limits.Cycles
}

// plan names the plan that is sent back, and what it was sent back by; empty if
// the phase gone back to wrote none.
func (q *view) plan() string {
	made := q.Loop.Made[events.Name(q.phase().Unclean)]
	if made == "" {
		return ""
	}
	gate, _ := named(q.Last.Results, failed)
	return string(gate) + "/" + made
}

// unclear: a person has answered as often as the workflow asks, and that did not make
// the task clear. More work on it without a person's word would be guessing.
//
// Source: oh-my-codex, seeds 4.2 deep-interview: the most rounds are a cap.
func (q *view) unclear() bool {
	_, spent := q.interviewed()
	return spent && q.fresh() && !q.skipped()
}

// entryUnclear is the same of an interview that a phase needs to begin.
func (q *view) entryUnclear() bool {
	_, spent := q.interviewed()
	return spent && q.entryFailed()
}

// interviewed is the interview of the latest results whose rounds are used up.
func (q *view) interviewed() (r events.GateResult, spent bool) {
	for _, r := range q.Last.Results {
		if r.Kind != events.GateInterview || r.Verdict != events.Fail {
			continue
		}
		g := q.Gate(r.Gate)
		if l := rule.Looked(g, r.Set, q.Looks); l.Verdict == events.Fail && l.Round >= g.Most {
			return r, true
		}
	}
	return events.GateResult{}, false
}

// samePlan: nothing new was planned over as many ways back of one failure.
//
// Source: oh-my-codex, seeds 4.1.2 and Q44.
func (q *view) samePlan() bool {
	n := q.flow.Rails.Plan.Cycles
	return n > 0 && q.goesBack() && q.PlanCycles(q.plan()) >= n
}
