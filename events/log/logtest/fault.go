package logtest

import (
	"testing"

	"autopilot/events"
	"autopilot/events/log"
)

// at fails the event with sequence seq of any aggregate: its attempts meet
// these faults in turn, all further ones none.
func at(seq uint64, faults ...log.Fault) log.Faults {
	return func(e events.Event, attempt int) log.Fault {
		if e.Seq != seq || attempt > len(faults) {
			return log.FaultNone
		}
		return faults[attempt-1]
	}
}

func grown(t *testing.T, p Place, f log.Faults) {
	t.Helper()
	p.Fail(f)
	l := p.Open(t)
	kept := run("a").Grow(t, l, 4)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}

func lostReply(t *testing.T, p Place) { grown(t, p, at(2, log.FaultLoseReply)) }

func lostRequest(t *testing.T, p Place) {
	grown(t, p, at(1, log.FaultLoseRequest, log.FaultLoseReply))
}

func neverAnswered(t *testing.T, p Place) {
	never := func(e events.Event, _ int) log.Fault {
		if e.Seq == 2 {
			return log.FaultLoseRequest
		}
		return log.FaultNone
	}
	p.Fail(never)
	l := p.Open(t)
	c := run("a")
	kept := c.Grow(t, l, 1)
	refused(t, l, c.Next(0), log.ErrUnavailable)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}

func falseConflict(t *testing.T, p Place) {
	p.Fail(at(2, log.FaultConflict))
	l := p.Open(t)
	c := run("a")
	kept := c.Grow(t, l, 1)
	refused(t, l, c.Next(0), log.ErrConflict)
	p.Fail(nil)
	l = p.Open(t)
	same(t, "reload", kept, All(t, l.Read(t.Context(), c.Aggregate, 0)))
	kept = append(kept, c.Grow(t, l, 2)...)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}

func unknownOutcome(t *testing.T, p Place) {
	for _, part := range []struct {
		run   string
		fault log.Fault
		kept  int
	}{
		{"a", log.FaultUnavailable, 1},
		{"b", log.FaultUnavailableStored, 2},
	} {
		p.Fail(at(2, part.fault))
		l := p.Open(t)
		c := run(part.run)
		c.Grow(t, l, 1)
		e := c.Next(0)
		refused(t, l, e, log.ErrUnavailable)

		p.Fail(nil)
		l = p.Open(t)
		kept := All(t, l.Read(t.Context(), c.Aggregate, 0))
		if len(kept) != part.kept {
			t.Fatalf("fault %d: %d events are kept, want %d", part.fault, len(kept), part.kept)
		}
		again, err := l.Append(t.Context(), e, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		c.Took(again)
		c.Grow(t, l, 1)
		if got := All(t, l.Read(t.Context(), c.Aggregate, 0)); len(got) != 3 {
			t.Fatalf("fault %d: %d events are kept in the end, want 3", part.fault, len(got))
		}
	}
}

func overtaken(t *testing.T, p Place) {
	other := p.Open(t)
	c := run("a")
	var kept []log.Stored
	p.Fail(func(e events.Event, attempt int) log.Fault {
		if e.Seq != 2 || e.ID[0] == 'o' {
			return log.FaultNone
		}
		if attempt == 1 {
			theirs := *c
			theirs.Author = "o"
			kept = append(kept, theirs.Grow(t, other, 1)...)
		}
		return log.FaultLoseRequest
	})
	l := p.Open(t)
	kept = c.Grow(t, l, 1)
	refused(t, l, c.Next(0), log.ErrConflict)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}
