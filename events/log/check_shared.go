package log

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"autopilot/events"
)

// SharedReport is what a check of a shared log found.
type SharedReport struct {
	Events     int
	Aggregates int
	Cut        int // aggregates of which earlier events are not kept
	Unknown    int // events of types that this version does not know
	Bad        []Bad
}

// CheckAll proves a shared log as far as it is kept. See CheckShared.
func (s *Stream) CheckAll(ctx context.Context) (SharedReport, error) {
	info, err := s.conn.info(ctx)
	if err != nil {
		return SharedReport{}, fmt.Errorf("check events: %w: %w", ErrUnavailable, err)
	}
	return CheckShared(s.ReadAll(ctx, ""), int(info.Config.MaxMsgsPerSubject))
}

// CheckShared proves for each aggregate of a shared log that every event that is kept
// can be decoded, was written by the host that it says, and carries the hash of the one
// before it where that is kept. What is missing has to have been dropped by its
// servers: then a host has as many later events of the aggregate as are kept of one.
// An error means that the log could not be read to its end.
func CheckShared(stored iter.Seq2[Stored, error], keep int) (SharedReport, error) {
	c := sharedChecker{lists: map[events.Aggregate][]keptEvent{}, bad: map[string]bool{}}
	for st, err := range stored {
		switch {
		case errors.Is(err, ErrDamaged):
			c.report.Events++
			c.blame(st.Subject, Bad{Aggregate: st.Subject, Seq: st.Event.Seq, What: err.Error(), Position: st.Position})
		case err != nil:
			return c.report, fmt.Errorf("check events: %w", err)
		default:
			c.add(st)
		}
	}
	for agg, list := range c.lists {
		c.prove(agg, list, keep)
	}
	c.report.Aggregates = len(c.lists)
	return c.report, nil
}

type keptEvent struct {
	seq, position          uint64
	hash, prevHash, source string
}

type sharedChecker struct {
	report SharedReport
	lists  map[events.Aggregate][]keptEvent
	bad    map[string]bool // subjects of which the first bad event was named
}

func (c *sharedChecker) blame(subject string, b Bad) {
	if !c.bad[subject] {
		c.bad[subject] = true
		c.report.Bad = append(c.report.Bad, b)
	}
}

func (c *sharedChecker) add(st Stored) {
	c.report.Events++
	e := st.Event
	if _, ok := e.Data.(events.Unknown); ok {
		c.report.Unknown++
	}
	c.lists[e.Aggregate] = append(c.lists[e.Aggregate], keptEvent{e.Seq, st.Position, st.Hash, e.PrevHash, e.Source})
}

func (c *sharedChecker) prove(agg events.Aggregate, list []keptEvent, keep int) {
	cut := false
	var last keptEvent
	for i, e := range list {
		what := ""
		switch {
		case e.seq <= last.seq:
			what = fmt.Sprintf("it is stored behind event %d", last.seq)
		case e.seq == last.seq+1 && e.prevHash != last.hash:
			what = fmt.Sprintf("it does not carry the hash of event %d: one of the two was changed", last.seq)
		case e.seq != last.seq+1 && !dropped(list[i:], keep):
			what = fmt.Sprintf("events %d to %d are missing, and the servers have not dropped them", last.seq+1, e.seq-1)
		case e.seq != last.seq+1:
			cut = true
		}
		if what != "" {
			c.blame(agg.Subject(), Bad{Aggregate: agg.String(), Seq: e.seq, What: what, Position: e.position})
			return
		}
		last = e
	}
	if cut {
		c.report.Cut++
	}
}

// dropped says that events before a list may have been dropped: a host has as many in
// it as are kept of one.
func dropped(list []keptEvent, keep int) bool {
	of := map[string]int{}
	for _, e := range list {
		if of[e.source]++; of[e.source] >= keep {
			return true
		}
	}
	return false
}
