package engine

import (
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file holds the rules about what a run may use, and about how long it
// waits.

func (q *view) pastUntil() bool {
	u := q.Facts.Limits.UntilMS
	return u > 0 && !q.now.Before(time.UnixMilli(u))
}

func (q *view) timeSpent() bool {
	limit := time.Duration(q.Facts.Limits.ActiveMS) * time.Millisecond
	return q.begun() && (q.pastUntil() || limit > 0 && q.Clock.Active(q.now) >= limit)
}

// begun: the baseline was judged, and it is time to decide on the next agent, or
// on the next session of a role. Before the first one only a wait makes that worth
// a look.
func (q *view) begun() bool {
	return q.ready() && (q.Loop.Iteration > 0 || q.Waiting != nil) || q.looks()
}

// unfed says that what the agent used is not known. One that nobody knows of is
// borne, as a process may die at any time; two are a limit that does not hold.
func (q *view) unfed() bool { return q.Loop.Unfed > 1 }

// kept says that the latest agent was ended by its own program for a limit that
// was all that the run had left: what it counted itself need not be the same to
// the last digit.
func (q *view) kept(r events.Result, given, limit, used, last int64) bool {
	return q.Last.Agent.Result == r && given > 0 && given >= limit-(used-last)
}

func (q *view) costSpent() bool {
	l, used := q.Facts.Limits.MicroUSD, q.Loop.Used.MicroUSD
	return q.begun() && l > 0 && (used >= l || q.Loop.Unpriced > 1 ||
		q.kept(events.ResultBudget, q.Last.Start.MicroUSD, l, used, q.Last.Agent.Usage.MicroUSD))
}

func (q *view) tokensSpent() bool {
	l := q.Facts.Limits.Tokens
	return q.begun() && l > 0 && (q.Loop.Used.Tokens() >= l || q.unfed())
}

func (q *view) turnsSpent() bool {
	l, used := q.Facts.Limits.Turns, q.Loop.Used.Turns
	return q.begun() && l > 0 && (used >= l ||
		q.kept(events.ResultMaxTurns, int64(q.Last.Start.Turns), int64(l), int64(used), int64(q.Last.Agent.Usage.Turns)))
}

func (q *view) waiting() bool {
	return q.WaitsForLimit() && q.now.Before(time.UnixMilli(q.Waiting.UntilMS))
}

// waitLimit waits for a limit.
func (q *view) waitLimit() Action {
	return q.idleUntil(time.UnixMilli(q.Waiting.UntilMS), string(q.Waiting.Cause))
}

// idleUntil waits in time of no activity, so only the wall clock of the run's limits
// ends it earlier.
func (q *view) idleUntil(until time.Time, why string) Action {
	if end := q.Facts.Limits.UntilMS; end > 0 && end < until.UnixMilli() {
		until = time.UnixMilli(end)
	}
	return Wait{Until: until, Why: why}
}

func (q *view) backOffEnd() time.Time {
	return q.Clock.Recorded.Add(rule.Backoff(q.Loop.Noops, q.flow.Limits.Noop.Backoff))
}

// backingOff: a pause would not mend what hung, and its silence was one.
func (q *view) backingOff() bool {
	return q.skipped() && q.Loop.Noops > 0 && !rule.Hung(q.Last.Agent) && q.now.Before(q.backOffEnd())
}

// backOff waits for the end of a pause.
func (q *view) backOff() Action { return q.idleUntil(q.backOffEnd(), "noop") }

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
