package account

import (
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
)

// State is an account, folded from its own log alone. The zero State is one of
// which nothing is known: it takes any number of agents.
type State struct {
	Cause  events.Limit  // of the limit that was met; empty once an agent has worked again
	Until  time.Time     // when that limit ends
	Source events.Source // of Until
	Since  time.Time     // when it was first met
	Streak int           // noes in a row
	Slots  int           // agents that may work at once; zero is any number
	Peak   int           // as many as have worked at once when Slots were first lowered, or one more

	Refused Refused
	No      uint64    // sequence of the latest event that says no
	At      time.Time // of that event
	Worked  time.Time // of the latest event that says yes
	Seen    []string  // the latest effects that were learned from
	Log     Log
}

// Refused is a no until a person has done something. Its cause is empty if there
// is none.
type Refused struct {
	Cause  events.Result // auth-failed or billing
	At     time.Time
	Run    string // whose agent met it
	Effect string
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// maxSeen is how many effects an account remembers. An agent is learned from as
// it ends, and again when a daemon starts: only the latest of each run matters.
const maxSeen = 1000

// Evolve adds one event to a state.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.AccountLimited:
		s = limited(s, e, d).saw(d.Effect)
	case events.AccountRefused:
		s.Refused = Refused{d.Cause, e.Time, d.Run, d.Effect}
		s.No, s.At = e.Seq, e.Time
		s = s.saw(d.Effect)
	case events.AccountWorked:
		s = worked(s, e.Time, d).saw(d.Effect)
	default:
		s.Log.Unknown++
	}
	return s
}

func limited(s State, e events.Event, d events.AccountLimited) State {
	if s.Cause == "" || d.Streak <= 1 && e.Time.After(s.Until) {
		s.Since = e.Time
	}
	s.Cause, s.Until, s.Source, s.Streak = d.Cause, time.UnixMilli(d.UntilMS).UTC(), d.Source, d.Streak
	if s.Slots = d.Slots; s.Slots > 0 {
		s.Peak = max(s.Peak, 2*s.Slots+1) // they are the half of what it was
	}
	s.No, s.At = e.Seq, e.Time
	return s
}

func worked(s State, at time.Time, d events.AccountWorked) State {
	s.Cause, s.Until, s.Source, s.Since, s.Streak = "", time.Time{}, "", time.Time{}, 0
	s.Refused = Refused{}
	if s.Slots = d.Slots; s.Slots == 0 {
		s.Peak = 0
	}
	s.Worked = at
	return s
}

func (s State) saw(effect string) State {
	seen := append(slices.Clip(s.Seen), effect)
	s.Seen = seen[max(len(seen)-maxSeen, 0):]
	return s
}

// Troubled says that the account is not as if nothing were known of it.
func (s State) Troubled() bool { return s.Cause != "" || s.Slots > 0 || s.Refused.Cause != "" }
