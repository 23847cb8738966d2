package claim

import (
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
)

// State is a claim, folded from its own log alone. The zero State is one that
// nobody ever had.
type State struct {
	Kind  events.ClaimKind
	Key   events.Ref
	Fence uint64 // of who holds it: the sequence of the event that acquired it; 0 is nobody
	Owner events.ClaimOwner
	By    string        // actor who acquired it
	Since time.Time     // when
	Beat  time.Time     // when its owner was last heard of
	TTL   time.Duration // it is fresh for so long after that
	Log   Log
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// Evolve adds one event to a state. What names another fence than that of the
// holder is of a holder before, and changes nothing.
//
// Source: session-orchestrator, seeds 6.1, S20 and S21.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.ClaimAcquired:
		return State{
			Kind: d.Kind, Key: d.Key, Fence: e.Seq, Owner: d.Owner, By: e.Actor,
			Since: e.Time, Beat: e.Time, TTL: time.Duration(d.TTLMS) * time.Millisecond, Log: s.Log,
		}
	case events.ClaimRenewed:
		if d.Fence == s.Fence {
			s.Beat, s.TTL = e.Time, time.Duration(d.TTLMS)*time.Millisecond
		}
	case events.ClaimReleased:
		s = s.without(d.Fence)
	case events.ClaimExpired:
		s = s.without(d.Fence)
	case events.ClaimForced:
		s = s.without(d.Fence)
	default:
		s.Log.Unknown++
	}
	return s
}

// without is the claim when the holder with that fence has it no more.
func (s State) without(fence uint64) State {
	if fence != s.Fence {
		return s
	}
	return State{Kind: s.Kind, Key: s.Key, Log: s.Log}
}

// Held says that somebody has it, or has let its time run out.
func (s State) Held() bool { return s.Fence != 0 }

// Until is when its time is over, if its owner is not heard of before.
func (s State) Until() time.Time { return s.Beat.Add(s.TTL) }
