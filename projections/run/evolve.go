package run

import (
	"cmp"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Evolve adds one event to a state.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	s.Clock.Latest = e.Time
	if e.Causation != "" {
		s.Asked = e.Causation
	}
	switch d := e.Data.(type) {
	case events.RunStarted:
		s = started(s, e, d)
	case events.GatesStarted:
		s = gates(s, d)
	case events.GatesJudged:
		s = judged(s, e.Time, d)
	case events.IterationStarted:
		s = iteration(s, e.Time, d)
	case events.AgentEnded:
		s = agentEnded(s, e.Time, d)
	case events.IterationRecorded:
		s = recorded(s, e.Time, d)
	case events.RunSuspended:
		if s.Clock.Waits.IsZero() {
			s.Clock.Suspended += time.Duration(d.MS) * time.Millisecond
		}
	case events.LimitWaiting:
		s.Waiting = waits(s.Waiting, e.Time, d)
		if s.Clock.Waits.IsZero() {
			s.Clock.Waits = e.Time
		}
	case events.LimitLifted:
		s = lifted(s, e.Time)
	case events.ResourcesJudged:
		if s.Waiting != nil {
			w := *s.Waiting
			w.Judged = &d
			s.Waiting = &w
		}
	case events.StopRequested:
		s.Stop, s.Stopping = d.Mode, d
	case events.RunHalted:
		s = halted(s, e.Time, d)
	case events.RunResumed:
		s = resumed(s, e.Time, d)
	case events.RunEnded:
		s.Status, s.End, s.Stop, s.Stopping = Over, &d, "", events.StopRequested{}
		s.Clock = s.Clock.pause(e.Time)
	default:
		return evolvePhase(s, e)
	}
	return s
}

// Fold adds events in order.
func Fold(s State, es ...events.Event) State {
	for _, e := range es {
		s = Evolve(s, e)
	}
	return s
}

// keepFails is how far back rails can look: the widest window that a workflow
// may have.
const keepFails = 100

func started(s State, e events.Event, d events.RunStarted) State {
	s.ID, s.Facts, s.Requested = e.Aggregate.ID, d, e.Causation
	s.Status, s.Stage = Live, Started
	s.Loop.Phase, s.Loop.History = d.Phase, rule.NewHistory(keepFails, keepFails)
	s.Findings = d.Findings
	for _, c := range d.Crews {
		if c.Level > 1 {
			s = s.begins(c)
		}
	}
	s.Last.Tree, s.Last.Work, s.Last.Git = d.Tree, d.Work, d.Git
	s.Clock.Started, s.Clock.Since = e.Time, e.Time
	return s
}

// gates announces them. Where nobody works, that begins the iteration.
func gates(s State, d events.GatesStarted) State {
	if s.Stage == Ready && d.Iteration > 0 && !d.Entry {
		s.Loop.Iteration, s.Loop.Attempt, s.Loop.Redo, s.Loop.Begun, s.Loop.AtEntry = d.Iteration, 1, false, true, false
		s.Loop.Asks = false
		s.Last.Start, s.Last.Agent = events.IterationStarted{}, events.AgentEnded{}
	}
	s.Stage, s.Last.Gates = Gates, d
	return s
}

func judged(s State, at time.Time, d events.GatesJudged) State {
	s.Loop.AtEntry = d.Entry
	switch {
	case d.Entry:
		s.Stage = Judged
	case d.Iteration == 0:
		s.Last.Baseline = d.Results
		s.Stage = Ready
	default:
		s.Last.Before = s.Last.Results
		s.Stage = Judged
	}
	s.Last.Results, s.Last.Created, s.Last.Checkout, s.Last.Added = d.Results, d.Created, d.Checkout, d.Added
	s = s.ends(d.Tree, d.Work, d.Head, d.Git)
	if d.Iteration > 0 {
		s.Clock.Taken = at
	}
	for _, r := range d.Results {
		s.Refused.Gates += r.Refused
	}
	if d.Foreign.Count > 0 && s.Foreign == nil {
		s.Foreign = &d.Foreign
	}
	return settle(s)
}

func iteration(s State, at time.Time, d events.IterationStarted) State {
	s.Stage, s.Last.Start, s.Last.Session = Agent, d, d
	s.Loop.Iteration, s.Loop.Attempt, s.Loop.Redo = d.Iteration, d.Attempt, false
	s.Loop.Begun, s.Loop.AtEntry, s.Loop.Asks, s.InPrompt = true, false, false, true
	s.Loop.Accepted = ""
	s.Clock.Agent = at
	s.Clock, s.Waiting = s.Clock.goOn(at), nil
	return s.sessionBegins()
}

func waits(before *Waiting, at time.Time, d events.LimitWaiting) *Waiting {
	w := Waiting{LimitWaiting: d, Since: at}
	if before != nil {
		w.InLine = before.InLine
	}
	if d.Cause == events.LimitResources && w.InLine.IsZero() {
		w.InLine = at
	}
	return &w
}

func lifted(s State, at time.Time) State {
	s.Clock = s.Clock.goOn(at)
	if s.Waiting != nil {
		w := *s.Waiting
		w.Lifted = true
		s.Waiting = &w
	}
	return s
}

func agentEnded(s State, at time.Time, d events.AgentEnded) State {
	s.Loop.Unmoved = s.Last.Start.Resumes && d.Tree == s.Last.Tree
	s.Stage, s.Last.Agent = Ended, d
	if d.Red != "" {
		s.Last.Reds = last(append(slices.Clip(s.Last.Reds), d.Red), keepReds)
	}
	unfed, unpriced := s.Loop.Unfed, s.Loop.Unpriced
	s = used(s, at, d)
	if s.Driven() {
		s.Loop.Unfed, s.Loop.Unpriced = unfed, unpriced // nobody counts on what a chat tells
	}
	before := s.Loop.Session
	if !s.Last.Start.Resumes {
		before = events.Usage{}
	}
	s.Loop.Session = Sum(before, d.Usage)
	if d.Outcome == events.Lost {
		s.Loop.Losses++
	} else {
		s.Loop.Losses = 0
	}
	s.Loop.Hung = rule.HungInRow(s.Loop.Hung, d)
	if s.InPrompt && d.Outcome != events.Lost && d.Result != events.ResultStopped {
		s.Note, s.Findings, s.Changed, s.Moved = "", "", "", events.HeadMove{} // one that was cut short is told them again
	}
	s = s.ends(d.Tree, d.Work, d.Head, d.Git)
	return s
}

// ends takes how the work tree was found at the end of an agent, or of its gates.
func (s State) ends(all, work events.Tree, head events.Head, git events.Ref) State {
	s.Last.Tree, s.Last.Work, s.Last.Head, s.Last.Git = all, work, head, cmp.Or(git, s.Last.Git)
	s.Ahead = head.Commit != "" && head.Commit != s.Facts.Head
	return s
}

// used counts what an agent or a role used.
func used(s State, at time.Time, d events.AgentEnded) State {
	s.Last.End = d
	s.Refused.Agents += d.Refused
	s.Spent = s.Spent.add(at, s.Last.Session.Agent, d)
	s.Loop.Used = Sum(s.Loop.Used, d.Usage)
	if s.Loop.Unfed++; known(d.Usage.TokensFrom) {
		s.Loop.Unfed = 0
	}
	if s.Loop.Unpriced++; known(d.Usage.CostFrom) {
		s.Loop.Unpriced = 0
	}
	return s
}

func recorded(s State, at time.Time, d events.IterationRecorded) State {
	// Without gates the latest results are those of an iteration before.
	if s.Stage == Judged && rule.ProofBroken(s.Last.Results) {
		s.Loop.Drifts++
	}
	s.Stage, s.Last.Record, s.Loop.Fresh = Ready, d, true
	s.Clock.Recorded, s.Clock.Taken = at, at
	if d.Verdict == events.Skipped {
		s.Loop.Redo, s.Clock.Waits = true, at // a pause or a wait, in which nobody works
		if !s.Last.Agent.Result.OfAccount() {
			s.Loop.Noops++
		}
		return s
	}
	s.Loop.Noops = 0
	s.Loop.Spent++
	if s.Facts.Series.Sessions > 0 {
		s = s.sessionEnds()
	}
	if d.Verdict == events.Pass {
		s.Loop.Hung = 0 // it had done its work
	}
	if s.Loop.Raised != "" && s.Worker().Role == s.Loop.Raised {
		s.Loop.Raised = ""
	}
	s.Loop.Asks = d.Verdict == events.Fail && s.Last.Agent.Asks.Kind != "" && !s.answeredBefore(s.Last.Agent.Question)
	if d.Verdict == events.Fail {
		s.Loop.History = s.Loop.History.Add(rule.Failure{
			Iteration: d.Iteration, Fingerprint: d.Fingerprint, Signature: d.Signature, Notes: string(d.Tree),
		})
	}
	return s
}

// halted ends the stretch of activity. Gates that were announced and not
// judged are announced anew after a resume.
func halted(s State, at time.Time, d events.RunHalted) State {
	s.Status, s.Halt, s.Stop, s.Stopping = Halted, &d, "", events.StopRequested{}
	if d.Reason == events.HaltStall {
		s.Series.Stalls++
	}
	switch {
	case s.Stage == Gates && s.Last.Gates.Entry:
		s.Stage = Ready
	case s.Stage == Gates && s.Last.Gates.Iteration == 0:
		s.Stage = Started
	case s.Stage == Gates:
		s.Stage = Ended
	}
	s.Clock = s.Clock.pause(at)
	return s
}

// resumed begins a new stretch. A person's findings restart the budget, and the
// rails look only at what comes after them. Without any the history of failures
// stays, but no rail fires on it before a new iteration is recorded.
func resumed(s State, at time.Time, d events.RunResumed) State {
	if s.Halt != nil && (s.Halt.Reason == events.HaltDrift || s.Halt.Reason == events.HaltGit) {
		s.Loop.Drifts = 0 // a person looked at it, and it is warned once more
	}
	if s.Halt != nil && s.Halt.Reason == events.HaltUnproven && d.Note == "" && d.Findings == "" && d.Phase == "" && d.Changed == "" {
		s.Loop.Accepted = s.Last.Tree
	}
	if s.Halt != nil && s.Halt.Reason == events.HaltGit || !s.Last.Agent.GitDenied {
		s.Loop.Git = cmp.Or(d.Git, s.Last.Git) // a person saw it, or did it
	}
	if s.Halt != nil && s.Halt.Reason == events.HaltForeign && s.Loop.Iteration == 0 {
		s.Stage = Started // the baseline is judged anew, without anybody in between
	}
	if s.Halt != nil {
		s = s.sessionsResumed(s.Halt.Reason)
	}
	s.Status, s.Halt = Live, nil
	s.Loop.Losses, s.Loop.Noops, s.Loop.Hung, s.Loop.Fresh = 0, 0, 0, false
	if s.Loop.History = s.Loop.History.Resume(); slices.Contains(s.Facts.Idle, s.Loop.Phase) {
		// Its gates judge once more what they have judged, as nobody works here: that
		// is no repeat of who does, and the way back leads to who can mend it.
		s.Loop.History = rule.NewHistory(keepFails, keepFails)
	}
	s.Clock.Since, s.Clock.Suspended = at, 0
	s.Waiting, s.Foreign = nil, nil
	if s.Question != nil && s.Question.Handoff {
		s.Question = nil // it is shown again, as it is then
	}
	s = s.taken(at, d.Changed, d.Moved)
	// Sessions that said nothing that counts are no tries any more: without that a
	// gate that they closed would stay closed whatever a person has mended.
	hung := rule.HungLooks(s.Looks) >= rule.MostHung
	s.Looks = slices.DeleteFunc(slices.Clone(s.Looks), func(l events.RoleEnded) bool { return l.Void != "" })
	switch {
	case s.Stage == Asking && s.Question != nil && s.Question.Gate == "" && (d.Note != "" || d.Phase != "" || s.Question.Expired):
		s.Stage, s.Question = Ready, nil // the note answers it; without one it is asked again
	case s.Stage == Asking && s.Question != nil && s.Question.Expired:
		s.Stage, s.Question = Judged, nil // it is asked again
	case s.Stage == Asking:
		s.Clock.Waits = at
	case s.Stage == Judged && s.Loop.AtEntry:
		s.Stage, s.Loop.AtEntry = Ready, false // what the phase needs may be there now
	case s.Stage == Judged && (d.Changed != "" || hung):
		s.Stage = Ended // the gates judge what is there now, and roles look at it
	}
	if s.Stage == Ended && s.Last.Agent.Outcome != events.Exited {
		s.Stage, s.Loop.Redo = Ready, true // its work was cut short: go on from the tree that it left
	}
	switch {
	case d.Phase != "" && d.Phase != s.Loop.Phase:
		s.SendTo = d.Phase
	case d.Findings != "" && s.Loop.Begun && (s.Stage == Asking || s.Stage == Judged):
		s.Stage, s.Question, s.Clock.Waits = Ready, nil, time.Time{} // they are worked on before anybody looks again
	}
	if d.Note != "" || d.Findings != "" {
		s.Note, s.Findings, s.InPrompt = cmp.Or(d.Note, s.Note), cmp.Or(d.Findings, s.Findings), false
		s = s.anew()
		s.Clock.Before = 0
	}
	return s
}

// anew begins the budgets and the comparison of failures again, as a person has
// something new to say.
func (s State) anew() State {
	s.Loop.Asks, s.Looks = false, s.looksAnew()
	s.Loop.Spent, s.Loop.Entered.Cycle, s.Loop.Plans = 0, 0, nil
	s.Loop.Used, s.Loop.Unfed, s.Loop.Unpriced = events.Usage{}, 0, 0
	s.Series.Counted = s.Series.Tokens
	s.Loop.History, s.Loop.Left = s.Loop.History.Anew(), nil
	return s
}

// taken has a run take its work tree as it is, as a person says that it shall go on:
// what others have changed before is a part of it from now on.
func (s State) taken(at time.Time, changed events.Ref, moved events.HeadMove) State {
	if !s.Clock.Taken.IsZero() {
		s.Clock.Taken = at
	}
	if s.Last.Head = (events.Head{}); changed != "" {
		s.Changed, s.InPrompt = changed, false
		s.Loop.Others = last(append(slices.Clip(s.Loop.Others), changed), keepAnswers)
		s.Others = last(append(slices.Clip(s.Others), changed), keepAnswers)
	}
	if moved != (events.HeadMove{}) {
		s.Moved, s.InPrompt, s.Ahead = moved, false, moved.To.Commit != "" && moved.To.Commit != s.Facts.Head
	}
	return s
}

func (c Clock) pause(at time.Time) Clock {
	c.Before = c.Active(at)
	c.Since, c.Suspended, c.Waits = time.Time{}, 0, time.Time{}
	return c
}

// goOn ends a wait for a limit.
func (c Clock) goOn(at time.Time) Clock {
	if !c.Waits.IsZero() && at.After(c.Waits) {
		c.Suspended += at.Sub(c.Waits)
	}
	c.Waits = time.Time{}
	return c
}
