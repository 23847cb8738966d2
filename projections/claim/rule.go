package claim

import (
	"errors"
	"time"

	"autopilot/events"
)

// Sight is what who looks knows beside the log.
type Sight struct {
	Now   time.Time
	Here  bool          // the owner is of this host
	Alive bool          // its process is shown to be the same, and to go on
	Seen  time.Duration // since this reader first saw the latest beat, by a clock that is never set
}

// Standing is how a claim stands.
type Standing string

// The standings.
const (
	Free    Standing = "free"
	Live    Standing = "held"    // its owner was heard of in time
	Overdue Standing = "overdue" // it was not, but its process goes on
	Stale   Standing = "stale"   // the next caller may have it
)

// Standing says how the claim stands. The age of the last beat decides: exactly the
// TTL is too old, and so is none. A process that has ended makes no claim stale
// before its time, and one that goes on keeps it after that.
//
// Of another host the process cannot be seen and its clock may be wrong, so the
// time has to be over by the clock of who looks as well. A beat from the future
// counts by that clock alone.
//
// Source: session-orchestrator, seeds 2.8.3, 2.8.4 (reaper) and 6.1, S17, S18,
// S50; atdd-kit, 6.2, A58.
func (s State) Standing(at Sight) Standing {
	if !s.Held() {
		return Free
	}
	age := at.Now.Sub(s.Beat)
	switch {
	case age < 0:
		age = at.Seen
	case !at.Here:
		age = min(age, at.Seen)
	}
	switch {
	case age < s.TTL && !s.Beat.IsZero():
		return Live
	case at.Here && at.Alive:
		return Overdue
	}
	return Stale
}

// Why a claim is not changed.
var (
	// ErrHeld: another has it.
	ErrHeld = errors.New("another holds the claim")
	// ErrFree: nobody has it.
	ErrFree = errors.New("nobody holds the claim")
	// ErrOwner: the caller is not its owner.
	ErrOwner = errors.New("the caller does not hold the claim")
	// ErrFence: the caller had it, and another has it now.
	ErrFence = errors.New("the claim was taken since")
	// ErrUnproven: the caller cannot be told apart from others.
	ErrUnproven = errors.New("the caller cannot be proven")
)

// Take is the next event on the way to a claim that who asks holds: Acquired or
// Renewed is the last one. A caller that asks again renews.
//
// Source: session-orchestrator, seeds 6.1, S19; atdd-kit, 3.9.3.
func Take(s State, ask events.ClaimAcquired, at Sight) (events.Data, error) {
	if !ask.Owner.Same(ask.Owner) {
		return nil, ErrUnproven
	}
	switch {
	case !s.Held():
		return ask, nil
	case s.Owner.Same(ask.Owner):
		return s.Renewal(ask.TTLMS), nil
	case s.Standing(at) == Stale:
		return events.ClaimExpired{Fence: s.Fence}, nil
	}
	return nil, ErrHeld
}

// Drop gives a claim back. A fence that is not 0 has to be that of the claim.
func Drop(s State, who events.ClaimOwner, fence uint64) (events.Data, error) {
	switch {
	case !s.Held():
		return nil, ErrFree
	case !s.Owner.Same(who):
		return nil, ErrOwner
	case fence != 0 && fence != s.Fence:
		return nil, ErrFence
	}
	return events.ClaimReleased{Fence: s.Fence}, nil
}

// Force takes a claim from its owner, as a person has decided about the holder
// with that fence: another one that has come since keeps it.
//
// Source: atdd-kit, seeds 6.2, A43.
func Force(s State, fence uint64, a events.Assurance) (events.Data, error) {
	switch {
	case !s.Held():
		return nil, ErrFree
	case fence != s.Fence:
		return nil, ErrFence
	}
	return events.ClaimForced{Fence: fence, Assurance: a}, nil
}
