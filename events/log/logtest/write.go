package logtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/log"
)

func appendedIsRead(t *testing.T, p Place) {
	l := p.Open(t)
	a, b := run("a"), run("b")
	a1 := a.Grow(t, l, 1)
	b1 := b.Grow(t, l, 2)
	a2 := a.Grow(t, l, 1)
	for i, s := range b1 {
		if s.Hash != events.Hash(s.Bytes) || s.Subject != b.Aggregate.Subject() || s.Event.Seq != uint64(i)+1 {
			t.Fatalf("stored %+v", s)
		}
	}
	same(t, "aggregate a", append(a1, a2...), All(t, l.Read(t.Context(), a.Aggregate, 0)))
	same(t, "aggregate b", b1, All(t, l.Read(t.Context(), b.Aggregate, 0)))
	same(t, "all", []log.Stored{a1[0], b1[0], b1[1], a2[0]}, All(t, l.ReadAll(t.Context(), "")))
	same(t, "no aggregate", []log.Stored{}, All(t, l.Read(t.Context(), events.Run("none"), 0)))
	same(t, "another writer reads it", b1, All(t, p.Open(t).Read(t.Context(), b.Aggregate, 0)))
}

// appendedIsAsRead says that who appends goes on with what readers get, also of
// what the stored form does not tell apart.
func appendedIsAsRead(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	var appended []log.Stored
	for _, d := range []events.Data{
		events.GatesStarted{Phase: "work"},
		events.GatesStarted{Phase: "work", Effects: []events.EffectRef{}},
		events.GatesJudged{Phase: "work"},
		events.RunHalted{Reason: events.HaltStopped, Iterations: []int{}},
	} {
		e := c.Next(0)
		e.Data, e.Time = d, e.Time.In(time.FixedZone("east", 3600))
		s, err := l.Append(t.Context(), e, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		c.Took(s)
		appended = append(appended, s)
	}
	same(t, "appended and read", appended, All(t, l.Read(t.Context(), c.Aggregate, 0)))
}

// refused appends e and wants that error.
func refused(t *testing.T, l log.Log, e events.Event, want error) {
	t.Helper()
	if s, err := l.Append(t.Context(), e, log.Ordinary); !errors.Is(err, want) {
		t.Fatalf("append answered %+v, %v, want %v", s, err, want)
	}
}

func conditional(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	orphan := c.Next(0)
	orphan.Seq, orphan.PrevHash = 2, events.Hash(nil)
	refused(t, l, orphan, log.ErrConflict)

	kept := c.Grow(t, l, 2)
	first := run("a").Next(0)
	first.ID = "another"
	refused(t, l, first, log.ErrConflict)
	gap := c.Next(0)
	gap.Seq++
	refused(t, l, gap, log.ErrConflict)
	forged := c.Next(0)
	forged.PrevHash = events.Hash([]byte("another"))
	refused(t, l, forged, log.ErrConflict)
	again := kept[0].Event
	refused(t, l, again, log.ErrConflict)

	same(t, "all", append(kept, c.Grow(t, l, 1)...), All(t, l.ReadAll(t.Context(), "")))
}

func repeated(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	kept := c.Grow(t, l, 2)
	for _, l := range []log.Log{l, p.Open(t)} {
		s, err := l.Append(t.Context(), kept[1].Event, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "repeated", kept[1:], []log.Stored{s})
	}
	other := kept[1].Event
	other.Actor = "somebody else"
	refused(t, l, other, log.ErrConflict)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}

func tooLarge(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	refused(t, l, c.Next(events.MaxBytes), events.ErrTooLarge)
	big, err := l.Append(t.Context(), c.Next(events.MaxBytes-600), log.Ordinary)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "all", []log.Stored{big}, All(t, l.ReadAll(t.Context(), "")))
}

func secondWriter(t *testing.T, p Place) {
	first, second := p.Open(t), p.Open(t)
	c := run("a")
	kept := c.Grow(t, first, 2)
	mine := *c
	kept = append(kept, c.Grow(t, second, 1)...) // it has not seen the aggregate before
	refused(t, first, func() events.Event { mine.Author = "m"; return mine.Next(0) }(), log.ErrConflict)
	same(t, "reload", kept, All(t, first.Read(t.Context(), c.Aggregate, 0)))
	kept = append(kept, c.Grow(t, first, 1)...)
	kept = append(kept, c.Grow(t, second, 1)...)
	same(t, "all", kept, All(t, first.ReadAll(t.Context(), "")))
}

func racingWriters(t *testing.T, p Place) {
	const writers, places = 4, 10
	var wg sync.WaitGroup
	won := make([]int, writers)
	for w := range writers {
		l := p.Open(t)
		wg.Go(func() {
			c := run("a")
			c.Author = string(rune('a' + w))
			for c.Seq < places {
				s, err := l.Append(t.Context(), c.Next(0), log.Ordinary)
				switch {
				case err == nil:
					c.Took(s)
					won[w]++
				case errors.Is(err, log.ErrConflict):
					for s, err := range l.Read(t.Context(), c.Aggregate, c.Seq) {
						if err != nil {
							t.Error(err)
							return
						}
						c.Took(s)
					}
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range won {
		total += n
	}
	l := p.Open(t)
	report, err := log.Check(l.ReadAll(t.Context(), ""))
	if err != nil || !report.OK() || report.Events != uint64(total) {
		t.Fatalf("won %v, check says %+v, %v", won, report, err)
	}
}

func cancelledAppend(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	c.Grow(t, l, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, c.Next(0), log.Ordinary); !errors.Is(err, log.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Fatalf("append answered %v", err)
	}
}
