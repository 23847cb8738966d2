package log

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"autopilot/events"
)

// Bad is the first bad event of an aggregate.
type Bad struct {
	Aggregate string `json:"aggregate"` // as its subject names it
	Seq       uint64 `json:"seq"`       // the sequence it has, or where it has none the one that was due
	What      string `json:"what"`
	Position  uint64 `json:"position"` // in the log
}

// String says it in a line.
func (b Bad) String() string { return fmt.Sprintf("%s event %d: %s", b.Aggregate, b.Seq, b.What) }

// Head is where an aggregate ends, to be compared with what was sealed
// elsewhere: a chain alone cannot show that its own end was cut off or changed.
type Head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// Report is what Check found.
type Report struct {
	Events  uint64                    `json:"events"`
	Unknown uint64                    `json:"unknown"` // events of types that this version does not know
	Bad     []Bad                     `json:"bad"`     // in stored order, at most one an aggregate, and one for each hole in the log itself
	Heads   map[events.Aggregate]Head `json:"-"`       // of the sound aggregates
}

// OK says whether no bad event was found.
func (r Report) OK() bool { return len(r.Bad) == 0 }

// Check proves for each aggregate of a whole log, read from its beginning in
// stored order, that every event can be decoded and is stored under its own
// subject, that sequences are 1, 2, 3 ... and that each previous hash is that
// of the event before. Of an aggregate only the first bad event is named, as
// all later ones follow from it. A stored event without its bytes was hashed by
// who decoded it. An error means that the log could not be read
// to its end, and the report then covers what was read.
func Check(stored iter.Seq2[Stored, error]) (Report, error) {
	c := checker{heads: map[string]head{}, aggregates: map[string]events.Aggregate{}, bad: map[string]bool{}}
	var failed error
	for st, err := range stored {
		if err != nil && !errors.Is(err, ErrDamaged) {
			failed = fmt.Errorf("check events: %w", err)
			break
		}
		c.add(st, err)
	}
	c.report.Heads = make(map[events.Aggregate]Head, len(c.heads))
	for subject, h := range c.heads {
		if !c.bad[subject] {
			c.report.Heads[c.aggregates[subject]] = h.Head
		}
	}
	return c.report, failed
}

// head is where an aggregate ends, and at which position.
type head struct {
	Head
	position uint64
}

type checker struct {
	report     Report
	heads      map[string]head // by subject, as what a damaged event says of itself is not to be trusted
	aggregates map[string]events.Aggregate
	bad        map[string]bool
}

func (c *checker) add(st Stored, damage error) {
	c.report.Events++
	if c.bad[st.Subject] {
		return
	}
	last := c.heads[st.Subject]
	if damage != nil && st.Subject == "" {
		c.report.Bad = append(c.report.Bad, Bad{Aggregate: "log", What: damage.Error(), Position: st.Position})
		c.report.Events--
		return
	}
	if damage != nil {
		c.blame(st.Subject, last.Seq+1, st.Position, damage.Error())
		return
	}
	e := st.Event
	if _, ok := e.Data.(events.Unknown); ok {
		c.report.Unknown++
	}
	switch {
	case e.Aggregate.Subject() != st.Subject:
		c.blame(st.Subject, last.Seq+1, st.Position, "it says that it belongs to "+e.Aggregate.String())
	case st.Bytes != nil && events.Hash(st.Bytes) != st.Hash:
		c.blame(st.Subject, e.Seq, st.Position, "its bytes do not have the hash that it was read with")
	case e.Seq != last.Seq+1:
		c.blame(st.Subject, e.Seq, st.Position, fmt.Sprintf("it is stored where event %d was due", last.Seq+1))
	case e.PrevHash != last.Hash:
		c.blame(st.Subject, last.Seq, last.position, fmt.Sprintf("its hash is not the one that event %d carries: one of the two was changed", e.Seq))
	default:
		c.heads[st.Subject] = head{Head{e.Seq, st.Hash}, st.Position}
		c.aggregates[st.Subject] = e.Aggregate
	}
}

func (c *checker) blame(subject string, seq, position uint64, what string) {
	c.bad[subject] = true
	c.report.Bad = append(c.report.Bad, Bad{Aggregate: strings.TrimPrefix(subject, events.SubjectPrefix), Seq: seq, What: what, Position: position})
}
