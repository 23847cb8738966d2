package account

import (
	"slices"
	"time"

	"autopilot/events"
)

// Ended is an agent that has ended, and what is to be known of it to learn from
// it.
type Ended struct {
	Run   string
	Agent events.AgentEnded
	At    time.Time // of the end, or a little before
	// Knew says that it was let in after the account's latest no: so what it says
	// is new. One that was at work already met the same no, or had its yes before.
	Knew   bool
	Others int // agents of the account that are at work beside it
}

// Learn is what the end of an agent says of its account; nil if that is nothing
// new. An agent is learned from once, and never from one that ended before the
// account's latest yes.
func Learn(s State, e Ended) events.Data {
	if slices.Contains(s.Seen, e.Agent.Effect) || !s.Worked.IsZero() && !e.At.After(s.Worked) {
		return nil
	}
	switch r := e.Agent.Result; {
	case r.Waits():
		return meet(s, e)
	case r.Refuses():
		if s.Refused.Cause != "" && !e.Knew {
			return nil // it was at work when another found out
		}
		return events.AccountRefused{Cause: r, Run: e.Run, Effect: e.Agent.Effect}
	case e.Knew && s.Troubled() && answered(e.Agent):
		return events.AccountWorked{Slots: raised(s), Run: e.Run, Effect: e.Agent.Effect}
	}
	return nil
}

// answered says that the provider let the agent work.
func answered(d events.AgentEnded) bool {
	return d.Result == events.ResultEnded || active(d)
}

// active says that there was work in the turn, however it ended.
func active(d events.AgentEnded) bool {
	return d.Usage.Output > 0 || d.Usage.Turns > 0 || d.Repeats > 0
}

// meet is the limit that an agent has met.
func meet(s State, e Ended) events.AccountLimited {
	cause := limitOf(e.Agent.Result)
	same := s.Cause != "" && !e.Knew && e.At.Before(s.Until) // as others that were at work with it
	d := events.AccountLimited{Cause: cause, Streak: 1, Slots: s.Slots, Run: e.Run, Effect: e.Agent.Effect}
	switch {
	case same:
		d.Streak = max(s.Streak, 1)
	case s.Cause != "" && !lasted(e.Agent):
		d.Streak = s.Streak + 1
	}
	reset := time.Time{}
	if e.Agent.ResetMS > 0 {
		reset = time.UnixMilli(e.Agent.ResetMS).UTC()
	}
	until, source := Wait(cause, d.Streak, reset, e.At)
	if same && better(s, until, source) {
		d.Cause, until, source = s.Cause, s.Until, s.Source
	}
	d.UntilMS, d.Source = CeilMS(until), source
	if !same && cause != events.LimitNetwork && !usedUp(source, until.Sub(e.At)) {
		d.Slots = lowered(s.Slots, e.Others+1)
	}
	return d
}

func limitOf(r events.Result) events.Limit {
	switch r {
	case events.ResultOverloaded:
		return events.LimitOverload
	case events.ResultUnreachable:
		return events.LimitNetwork
	default:
		return events.LimitRate
	}
}

// lasted says that an agent had worked for a while when it met a limit. An answer
// or two show only that single requests are let through: taken for work they
// would have a run try for ever as fast as it can.
func lasted(d events.AgentEnded) bool {
	return d.Usage.Output > 0 && time.Duration(d.DurationMS)*time.Millisecond >= lastedLeast
}

const lastedLeast = time.Minute

// better says that what is known of a limit beats what another agent has met of
// it: the provider's word beats a guess, and then the later time.
func better(s State, until time.Time, source events.Source) bool {
	if s.Source != source {
		return s.Source == events.Reported
	}
	return s.Until.After(until)
}

// CeilMS is a time in Unix milliseconds, and never before t.
func CeilMS(t time.Time) int64 { return t.Add(time.Millisecond - time.Nanosecond).UnixMilli() }

// Bounds of waits.
const (
	firstWait = 15 * time.Minute    // for a limit without a known end; longer with each in a row (Field reports, B-25)
	mostWait  = 5 * time.Hour       // the longest window that providers count in, but for the week
	believed  = 32 * 24 * time.Hour // a month's quota and some: a reset that is later is a mistake
)

// Wait is until when a limit is waited for that an agent met as it ended, for
// the streak-th time in a row. A reset that is past or absurdly far is not
// believed. A provider that names a time and then says no again is trusted less
// with each: the time is not before what an overload would be waited for.
func Wait(cause events.Limit, streak int, reset, at time.Time) (time.Time, events.Source) {
	told := reset.After(at) && reset.Sub(at) <= believed
	guess := Backoff(streak)
	if cause == events.LimitRate {
		guess = doubled(streak)
		if told {
			guess = Backoff(streak - 1)
		}
	}
	if told && !reset.Before(at.Add(guess)) {
		return reset, events.Reported
	}
	return at.Add(guess), events.Guessed
}

func doubled(streak int) time.Duration {
	return min(firstWait<<min(max(streak-1, 0), 8), mostWait)
}

var backoff = []time.Duration{
	0, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
}

// Backoff is how long an overloaded provider is left alone that has said so
// streak times in a row.
func Backoff(streak int) time.Duration { return backoff[min(max(streak, 0), len(backoff)-1)] }

// usedUp says that a limit is the end of a quota: fewer agents at once would only
// have met it later.
func usedUp(source events.Source, wait time.Duration) bool {
	return source == events.Reported && wait > firstWait
}

// lowered is how many agents may work at once when a limit was met with so many
// at work. One alone says nothing about their number.
func lowered(slots, working int) int {
	if working < 2 {
		return slots
	}
	if half := working / 2; slots == 0 || half < slots {
		return half
	}
	return slots
}

// raised is one more, and any number once there are as many as ever were at
// work.
func raised(s State) int {
	if s.Slots == 0 || s.Slots+1 >= s.Peak {
		return 0
	}
	return s.Slots + 1
}
