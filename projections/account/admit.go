package account

import (
	"hash/fnv"
	"time"

	"autopilot/events"
)

// Ask is a run that wants to let an agent work on the account.
type Ask struct {
	Run     string
	Since   time.Time // when the run was started, or last resumed
	Ahead   int       // older runs that wait for the account
	Working int       // others whose agents work, or were let in and have not begun
	Gone    int       // of those, let in after the account's latest no
}

// Answer is what it gets. The zero Answer lets it begin.
type Answer struct {
	Refused bool         // nobody is let in
	Wait    events.Limit // what the run waits for
	Until   time.Time
	Reset   time.Time // when the limit itself ends
	Place   int       // in the line, from 1
}

// Begin says that the agent may work now.
func (a Answer) Begin() bool { return a == Answer{} }

// Once a limit is over, one run goes ahead as a probe, the others follow: each a
// little later than the one before it, unless the probe has shown by then that
// the limit still holds. Jitter is less than the distance, so the order stays.
const (
	Stagger = 5 * time.Second
	probe   = 30 * time.Second
	// slotWait is how long a run waits for a slot before it asks again by itself.
	// It is told when there is one.
	slotWait = time.Hour
)

// Admit says whether an agent of the run may begin now.
//
// An account that lets nobody in is tried again by a run that a person has
// started or resumed since, one at a time: the others wait for what it finds.
func Admit(s State, a Ask, now time.Time) Answer {
	if s.Refused.Cause != "" {
		behind := s.Refused.At.After(now) // the clock was put back: nobody knows what was later
		if !behind && !a.Since.After(s.Refused.At) {
			return Answer{Refused: true}
		}
		if a.Gone+a.Ahead > 0 {
			return a.slot(now)
		}
	}
	if s.Cause != "" {
		if due := s.Until.Add(Offset(a.Gone+a.Ahead+1, a.Run)); now.Before(due) {
			return Answer{Wait: s.Cause, Until: due, Reset: s.Until, Place: a.Ahead + 1}
		}
	}
	if s.Slots > 0 && a.Working+a.Ahead >= s.Slots {
		return a.slot(now)
	}
	return Answer{}
}

func (a Ask) slot(now time.Time) Answer {
	return Answer{Wait: events.LimitSlots, Until: now.Add(slotWait), Place: a.Ahead + 1}
}

// Offset is how long after the end of a limit the run in a place begins.
func Offset(place int, run string) time.Duration {
	d := jitter(run)
	if place > 1 {
		d += probe + time.Duration(place-2)*Stagger
	}
	return d
}

// jitter is less than Stagger, and the same each time.
func jitter(run string) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(run)) // never fails
	return time.Duration(h.Sum32()%uint32(Stagger/time.Millisecond)) * time.Millisecond
}
