package filestore

import (
	"autopilot/events/log"
)

// Kind says in which way an event of a store is not what was acknowledged.
type Kind string

// The kinds.
const (
	Changed  Kind = "changed"  // another event was acknowledged at its position
	Added    Kind = "added"    // it stands between two that were
	Moved    Kind = "moved"    // it was acknowledged at another position
	Gone     Kind = "gone"     // what was acknowledged in front of it is not there
	Unsealed Kind = "unsealed" // nothing was acknowledged at its position
)

// Finding is an event that is not what was acknowledged.
type Finding struct {
	log.Receipt
	Seq  uint64
	Kind Kind
	At   uint64 // position at which it was acknowledged, if it was moved or what is before it is gone
}

// Audit compares all of a store with its seals. Where events were removed, added
// or moved it finds the place from which on they fit again, so that those behind
// are not blamed. Matches may be called from many goroutines, the rest from one.
type Audit struct {
	seals  *Seals
	all    []byte
	shift  int64           // seals are so far ahead of the events
	missed map[uint64]bool // positions of seals that no event had yet
	bad    []Finding       // that may be changed or added
	budget int             // looks that are left
}

const (
	auditReach = 32      // positions that an event is looked for at both sides of its own
	auditLooks = 1 << 16 // in all
)

// Audit begins one.
func (s *Seals) Audit() (*Audit, error) {
	all, err := s.all()
	return &Audit{seals: s, all: all, missed: map[uint64]bool{}, budget: auditLooks}, err
}

// Matches says that an event has the seal of its position.
func (a *Audit) Matches(r log.Receipt) bool { return a.fits(r, int64(r.Position)) }

func (a *Audit) at(position int64) seal {
	if position < 1 || position*sealBytes > int64(len(a.all)) {
		return seal{}
	}
	return seal(a.all[(position-1)*sealBytes:])
}

// fits says that an event has the seal of a position.
func (a *Audit) fits(r log.Receipt, position int64) bool {
	have := a.at(position)
	return have != seal{} && have == a.seals.keys.of(r.Stream, uint64(position), r.Subject, r.Hash)
}

// Next takes the next event of the store, and whether it matches.
func (a *Audit) Next(r log.Receipt, seq uint64, matches bool) []Finding {
	if a.shift == 0 && matches {
		return a.settle(Changed)
	}
	due := int64(r.Position) + a.shift
	found := Finding{Receipt: r, Seq: seq}
	switch d, ok := a.look(r, due); {
	case ok && d == 0:
		return a.settle(Changed)
	case ok && d < 0 && -d <= int64(len(a.bad)):
		a.shift += d
		return a.settle(Added)
	case ok && d > 0:
		for p := due; p < due+d; p++ {
			a.missed[uint64(p)] = true
		}
		a.shift += d
		found.Kind, found.At = Gone, uint64(due+d)
		return append(a.settle(Changed), found)
	case ok:
		if a.missed[uint64(due+d)] {
			delete(a.missed, uint64(due+d))
			a.shift--
		}
		found.Kind, found.At = Moved, uint64(due+d)
		return append(a.settle(Changed), found)
	case a.at(due) == seal{}:
		if a.shift == 0 && a.seals.judge(r, seal{}) == nil {
			return nil
		}
		found.Kind = Unsealed
		return append(a.settle(Changed), found)
	}
	if a.shift == 0 && a.seals.Prove(r) == nil {
		return a.settle(Changed)
	}
	found.Kind = Changed
	a.bad = append(a.bad, found)
	return nil
}

// look looks for the seal of an event around a position.
func (a *Audit) look(r log.Receipt, due int64) (distance int64, ok bool) {
	if a.fits(r, due) {
		return 0, true
	}
	for d := int64(1); d <= auditReach && a.budget > 0; d++ {
		a.budget--
		if a.fits(r, due-d) {
			return -d, true
		}
		if a.fits(r, due+d) {
			return d, true
		}
	}
	return 0, false
}

// settle says what became of the events whose kind was open.
func (a *Audit) settle(as Kind) []Finding {
	out := a.bad
	a.bad = nil
	for i := range out {
		out[i].Kind = as
	}
	return out
}

// End says what is left.
func (a *Audit) End() []Finding { return a.settle(Changed) }
