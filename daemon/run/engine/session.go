package engine

import (
	"errors"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Join lets a chat drive the run. One that drives it already stays, unless it
// is the one that was found to be gone.
type Join struct {
	events.SessionJoined
	Gone events.SessionJoined
}

// Leave lets the chat go that drives the run. Another one has nothing to leave.
type Leave struct{ events.SessionJoined }

// Errors of chats that drive runs.
var (
	ErrNotDriven = errors.New("the run is driven by its own agents, not by a chat")
	ErrDriven    = errors.New("another chat drives the run")
)

func decideJoin(s run.State, c Join) (events.Data, error) {
	switch {
	case s.Status == run.None || s.Status == run.Over:
		return nil, ErrOver
	case !s.Driven():
		return nil, ErrNotDriven
	case s.Driver == nil || s.Driver.Same(c.Gone):
		return c.SessionJoined, nil
	case s.Driver.Same(c.SessionJoined):
		return nil, nil
	}
	return nil, ErrDriven
}

func decideLeave(s run.State, c Leave) (events.Data, error) {
	switch {
	case s.Status == run.None || s.Status == run.Over:
		return nil, ErrOver
	case !s.Driven():
		return nil, ErrNotDriven
	case s.Driver == nil:
		return nil, nil
	case !s.Driver.Same(c.SessionJoined):
		return nil, ErrDriven
	}
	return events.SessionLeft{}, nil
}

// reported: the session has told how it went, where a gate looks at that.
func (q *view) reported() bool {
	return q.Last.Agent.Report.V > 0 && q.has(events.GateSession)
}

// killed: a kill switch fires on the session that has ended. It halts at once, and
// is never tried again.
//
// Source: session-orchestrator, seeds 2.1.3 row 11.
func (q *view) killed() bool {
	_, _, fired := rule.Killed(q.Last.Results)
	return fired && q.fresh() && !q.skipped()
}

func (q *view) kill() Action {
	reason, _, _ := rule.Killed(q.Last.Results)
	return halt(reason)(q)
}
