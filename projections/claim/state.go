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
// holder is of a holder before, and changes nothing; nor does what another host than
// the holder's says in its name.
//
// Source: session-orchestrator, seeds 6.1, S20 and S21.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.ClaimAcquired:
		if !written(e, d.Owner) {
			return s
		}
		return State{
			Kind: d.Kind, Key: d.Key, Fence: e.Seq, Owner: d.Owner, By: e.Actor,
			Since: e.Time, Beat: e.Time, TTL: time.Duration(d.TTLMS) * time.Millisecond, Log: s.Log,
		}
	case events.ClaimRenewed:
		if s.Log.Cut == e.Seq && d.Owner.Host != "" && !written(e, d.Owner) || s.Held() && !written(e, s.Owner) {
			return s
		}
		if s.Log.Cut == e.Seq && d.Owner.Host != "" { // what came before is not kept
			s.Kind, s.Key, s.Fence, s.Owner, s.Since = d.Kind, d.Key, d.Fence, d.Owner, time.UnixMilli(d.SinceMS).UTC()
		}
		if d.Fence == s.Fence {
			s.Beat, s.TTL = e.Time, time.Duration(d.TTLMS)*time.Millisecond
		}
	case events.ClaimReleased:
		if written(e, s.Owner) {
			s = s.without(d.Fence)
		}
	case events.ClaimExpired:
		s = s.without(d.Fence)
	case events.ClaimForced:
		s = s.without(d.Fence)
	default:
		s.Log.Unknown++
	}
	return s
}

// written says that an event comes from the host of an owner: nobody takes, renews or
// gives back in the name of another host.
func written(e events.Event, o events.ClaimOwner) bool {
	return e.Source == "" || e.Source == events.SourceOf(o.Host)
}

// without is the claim when the holder with that fence has it no more.
func (s State) without(fence uint64) State {
	if fence != s.Fence {
		return s
	}
	return State{Kind: s.Kind, Key: s.Key, Log: s.Log}
}

// Renewal is the event by which its owner holds it for longer.
func (s State) Renewal(ttlMS int64) events.ClaimRenewed {
	return events.ClaimRenewed{Fence: s.Fence, TTLMS: ttlMS, Kind: s.Kind, Key: s.Key, Owner: s.Owner, SinceMS: s.Since.UnixMilli()}
}

// Held says that somebody has it, or has let its time run out.
func (s State) Held() bool { return s.Fence != 0 }

// Until is when its time is over, if its owner is not heard of before.
func (s State) Until() time.Time { return s.Beat.Add(s.TTL) }
