package engine

import (
	"errors"
	"fmt"
	"time"

	"autopilot/events"
	"autopilot/projections/run"
)

// Command asks a run for something. The set is closed.
type Command interface{ command() }

// Start begins a run.
type Start struct{ events.RunStarted }

// Stop asks a live run to stop. One that nobody asked for has a reason of its own.
type Stop struct {
	Mode   events.StopMode
	Reason events.Halt
	By     events.Ref // claim-lost: who has the work tree
}

// Foreign reports that a session which has nothing to do with the run has written to
// its work tree.
type Foreign struct{ events.ForeignSeen }

// Resume continues a halted run, with a person's findings or without.
// Assurance says how sure it is that a person does; none for anybody.
type Resume struct {
	Note      events.Ref
	Findings  events.Ref
	Count     int         // of them
	Phase     events.Name // that works on them; empty for the present one
	Assurance events.Assurance
	Changed   events.Ref // files that have changed since the run last saw its work tree
	Moved     events.HeadMove
	Git       events.Ref // state of the repository
}

// Judged reports what the machine can bear, to a run that waits for it.
type Judged struct{ events.ResourcesJudged }

// Suspend reports that the host slept.
type Suspend struct{ For time.Duration }

// Reboot reports that a daemon has begun to serve the run after the host was
// off. Booted is when the host booted, zero if that is not known. It is decided
// again until it changes nothing.
type Reboot struct {
	Booted time.Time
	Anew   string // the boot, if it is another one than that of the daemon before and a person is to be asked
}

// Lift ends the wait for a limit before its time.
type Lift struct{}

// AccountFailed reports that the provider lets nobody in on an account of the run
// any more, as the agent of another run has found. An agent at work may end its
// turn: it was let in.
type AccountFailed struct {
	Cause   events.Result // auth-failed or billing
	Account string
	Run     string // whose agent met it
}

// Report is the outcome of what Next asked for: one of the events that a
// Worker makes.
type Report struct{ Data events.Data }

// Answer is a person's answer to the question that the run waits with.
type Answer struct{ events.QuestionAnswered }

// Outdated reports that what a question is about has changed since it was asked.
// Others and Moved are as of an answer.
type Outdated struct {
	Number int
	Others events.Ref
	Moved  events.HeadMove
}

// GiveUp halts a run whose work cannot be done at all, by no fault of the
// agent.
type GiveUp struct {
	Reason events.Halt
	Value  string // of the halt
	Error  events.Ref
}

func (Start) command()         {}
func (Stop) command()          {}
func (Resume) command()        {}
func (Suspend) command()       {}
func (Reboot) command()        {}
func (Lift) command()          {}
func (Judged) command()        {}
func (AccountFailed) command() {}
func (Report) command()        {}
func (GiveUp) command()        {}
func (Answer) command()        {}
func (Foreign) command()       {}
func (Outdated) command()      {}
func (Join) command()          {}
func (Leave) command()         {}

// Errors that a caller can branch on.
var (
	ErrOver       = errors.New("the run is over")
	ErrNotHalted  = errors.New("the run is not halted")
	ErrStarted    = errors.New("the run has begun already")
	ErrStale      = errors.New("the run has moved on")
	ErrDrift      = errors.New("a run whose pinned files have changed is resumed by a person at a terminal")
	ErrBrokenLog  = errors.New("a run with a damaged log cannot be resumed")
	ErrUnproven   = errors.New("work that no control could prove is accepted by a person at a terminal")
	ErrPastUntil  = errors.New("the time that the run was given until has passed")
	ErrNotWaiting = errors.New("the run does not wait for a limit")
	ErrNeedsNote  = errors.New("the same rail would fire again without new findings")

	ErrNoQuestion = errors.New("the run has no open question")
	ErrAnswered   = errors.New("the question already has an answer")
	ErrExpired    = errors.New("the question has expired")
	ErrOtherSet   = errors.New("the answer is not about the files of the open question")
	ErrAssurance  = errors.New("the answer needs stronger proof of a person")
	ErrChoice     = errors.New("the answer does not fit the question")
)

// Decide answers a command with the one event that it causes, with no event
// when it changes nothing, or with an error.
func Decide(s run.State, c Command, now time.Time) (events.Data, error) {
	switch c := c.(type) {
	case Start:
		if s.Status != run.None {
			return nil, ErrStarted
		}
		return c.RunStarted, nil
	case Stop:
		return decideStop(s, c)
	case Resume:
		return decideResume(s, c, now)
	case Suspend:
		if s.Status != run.Live || c.For < time.Millisecond {
			return nil, nil
		}
		return events.RunSuspended{MS: c.For.Milliseconds()}, nil
	case Reboot:
		return decideReboot(s, c, now), nil
	case Lift:
		return decideLift(s)
	case Judged:
		if !s.WaitsForLimit() || s.Waiting.Cause != events.LimitResources {
			return nil, nil
		}
		return c.ResourcesJudged, nil
	case AccountFailed:
		return decideAccountFailed(s, c), nil
	case Report:
		return decideReport(s, c)
	case Answer:
		return decideAnswer(s, c)
	case Outdated:
		if q := s.Question; s.Status != run.Live || q == nil || q.Number != c.Number || q.Expired {
			return nil, ErrStale
		}
		return events.QuestionExpired{Number: c.Number, Changed: true, Others: c.Others, Moved: c.Moved}, nil
	case Foreign:
		if s.Status != run.Live {
			return nil, ErrStale
		}
		if s.Foreign != nil && s.Foreign.Files == c.Files {
			return nil, nil
		}
		return c.ForeignSeen, nil
	case Join:
		return decideJoin(s, c)
	case Leave:
		return decideLeave(s, c)
	case GiveUp:
		if s.Status != run.Live {
			return nil, ErrStale
		}
		return events.RunHalted{
			Reason: c.Reason, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration,
			Value: c.Value, Error: c.Error, Tree: s.Last.Tree,
		}, nil
	}
	return nil, fmt.Errorf("command %T is not known", c)
}

// offLeast is longer than a hiccup.
const offLeast = 2 * time.Second

// decideReboot: first the time that the host was off is taken from the run's
// activity, so that nothing after counts it, then the run is halted if a person
// is to be asked. One that is to be stopped at once needs no asking.
func decideReboot(s run.State, c Reboot, now time.Time) events.Data {
	if s.Status != run.Live {
		return nil
	}
	booted := c.Booted
	if booted.After(now) {
		booted = now // the clock was put back
	}
	if off := booted.Sub(s.Clock.Latest); !booted.IsZero() && off >= offLeast {
		return events.RunSuspended{MS: off.Milliseconds()}
	}
	if c.Anew == "" || s.Stop == events.StopNow || s.Stop == events.StopCancel {
		return nil
	}
	return events.RunHalted{
		Reason: events.HaltRebooted, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration,
		Value: c.Anew, Tree: s.Last.Tree,
	}
}

func decideLift(s run.State) (events.Data, error) {
	switch {
	case s.Status == run.None || s.Status == run.Over:
		return nil, ErrOver
	case s.Status != run.Live || s.Waiting == nil || s.Stage != run.Ready && s.Stage != run.Judged:
		return nil, ErrNotWaiting
	case s.Waiting.Lifted:
		return nil, nil
	}
	return events.LimitLifted{}, nil
}

// decideAccountFailed halts between agents only, and only where the next one
// works on the account: what an agent at work or a gate says may still end the
// run well, and the next agent asks again.
func decideAccountFailed(s run.State, c AccountFailed) events.Data {
	if s.Status != run.Live || s.Stage != run.Ready || s.Worker().Account != c.Account {
		return nil
	}
	return Refused(s, c)
}

// Refused is the halt of a run whose account lets nobody in.
func Refused(s run.State, c AccountFailed) events.RunHalted {
	reason := events.HaltAuthFailed
	if c.Cause == events.ResultBilling {
		reason = events.HaltBilling
	}
	h := events.RunHalted{
		Reason: reason, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Account: c.Account, Tree: s.Last.Tree,
	}
	if c.Run != s.ID {
		h.Cause = c.Run
	}
	return h
}

// decideStop: a stronger stop replaces a weaker one; a weaker or equal one
// changes nothing. A halted run can be cancelled.
func decideStop(s run.State, c Stop) (events.Data, error) {
	switch s.Status {
	case run.None, run.Over:
		return nil, ErrOver
	case run.Halted:
		if c.Mode == events.StopCancel {
			return events.RunEnded{
				State: events.EndCancelled, Iteration: s.Loop.Iteration, Tree: s.Last.Tree,
			}, nil
		}
		return nil, nil
	case run.Live:
	}
	if strength(c.Mode) <= strength(s.Stop) {
		return nil, nil
	}
	return events.StopRequested{Mode: c.Mode, Reason: c.Reason, By: c.By}, nil
}

func strength(m events.StopMode) int {
	switch m {
	case events.StopAfterIteration:
		return 1
	case events.StopNow:
		return 2
	case events.StopCancel:
		return 3
	}
	return 0
}

// decideResume takes what the reason of the halt needs.
func decideResume(s run.State, c Resume, now time.Time) (events.Data, error) {
	switch s.Status {
	case run.None, run.Over:
		return nil, ErrOver
	case run.Live:
		return nil, ErrNotHalted
	case run.Halted:
	}
	if u := s.Facts.Limits.UntilMS; u > 0 && !now.Before(time.UnixMilli(u)) {
		return nil, ErrPastUntil
	}
	proven, findings := c.Assurance.Level() >= events.AssuredTTY.Level(), c.Note != "" || c.Findings != ""
	switch s.Halt.Reason.Facts().Resume {
	case events.ResumeNever:
		return nil, ErrBrokenLog
	case events.ResumeProven:
		if !proven {
			return nil, ErrDrift
		}
	case events.ResumeWithNote:
		if !findings {
			return nil, ErrNeedsNote
		}
	case events.ResumeEither:
		if !findings && !proven {
			return nil, ErrUnproven
		}
	case events.ResumeFreely:
	}
	return events.RunResumed{
		Note: c.Note, Findings: c.Findings, Count: c.Count, Phase: c.Phase, Assurance: c.Assurance,
		Changed: c.Changed, Moved: c.Moved, Git: c.Git,
	}, nil
}

// decideReport takes an outcome only if it belongs to what is under way.
func decideReport(s run.State, c Report) (events.Data, error) {
	if s.Status != run.Live {
		return nil, ErrStale
	}
	ok := false
	switch d := c.Data.(type) {
	case events.IterationStarted:
		ok = s.Stage == run.Ready || s.Stage == run.Ended
	case events.LimitWaiting:
		ok = s.Stage == run.Ready || s.Stage == run.Judged
	case events.AgentEnded:
		ok = s.Stage == run.Agent && d.Effect == s.Last.Start.Effect
	case events.GatesStarted:
		ok = s.Stage == run.Started || s.Stage == run.Ended || s.Stage == run.Ready
	case events.RoleStarted:
		ok = s.Stage == run.Judged
	case events.RoleEnded:
		ok = s.Stage == run.Looking && d.Agent.Effect == s.Last.Role.Agent.Effect
	case events.QuestionAsked:
		stage := run.Judged
		if d.Gate == "" {
			stage = run.Ready
		}
		ok = s.Stage == stage && d.Number == s.Questions+1
	case events.ModeSelected:
		ok = s.Stage == run.Ready && s.Series.Selected == nil
	case events.WorkPublished:
		ok = s.Stage == run.Ready && d.Iteration == s.Loop.Iteration
	case events.GatesJudged:
		ok = s.Stage == run.Gates && d.Iteration == s.Last.Gates.Iteration
	case events.IterationRecorded:
		ok = s.Stage == run.Judged || s.Stage == run.Ended
	case events.RunHalted, events.RunEnded:
		ok = true
	}
	if !ok {
		return nil, ErrStale
	}
	return c.Data, nil
}
