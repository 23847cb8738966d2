package logtest

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
	"autopilot/events/log"
)

func readAfter(t *testing.T, p Place) {
	l := p.Open(t)
	a, b := run("a"), run("b")
	var kept []log.Stored
	for range 3 {
		kept = append(kept, a.Grow(t, l, 2)...)
		b.Grow(t, l, 1)
	}
	for _, l := range []log.Log{l, p.Open(t)} {
		for after := range uint64(8) {
			want := append([]log.Stored{}, kept[min(after, 6):]...)
			same(t, "behind a sequence", want, All(t, l.Read(t.Context(), a.Aggregate, after)))
		}
	}
}

func readKind(t *testing.T, p Place) {
	l := p.Open(t)
	a, b, c := run("a"), &Chain{Aggregate: events.Peer("b")}, &Chain{Aggregate: events.Peer("c")}
	var kept []log.Stored
	for range 2 {
		a.Grow(t, l, 2)
		kept = append(kept, b.Grow(t, l, 1)...)
		kept = append(kept, c.Grow(t, l, 2)...)
	}
	for _, l := range []log.Log{l, p.Open(t)} {
		same(t, "peers", kept, All(t, l.ReadKind(t.Context(), events.KindPeer)))
		same(t, "claims", []log.Stored{}, All(t, l.ReadKind(t.Context(), events.KindClaim)))
		kept = append(kept, b.Grow(t, l, 1)...) // it knows now where they end
	}
}

func readLeft(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	kept := c.Grow(t, l, 5)
	for s, err := range l.ReadAll(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		// The log can be used while it is read.
		kept = append(kept, c.Grow(t, l, 1)...)
		if s.Event.Seq == 3 {
			break
		}
	}
	same(t, "all", kept, All(t, l.Read(t.Context(), c.Aggregate, 0)))
	for _, read := range []iter.Seq2[log.Stored, error]{l.Read(t.Context(), c.Aggregate, 0), l.ReadAll(t.Context(), "")} {
		n, want := 0, len(kept)
		for _, err := range read {
			if err != nil {
				t.Fatal(err)
			}
			n++
			kept = append(kept, c.Grow(t, l, 1)...)
		}
		if n != want {
			t.Fatalf("read %d events, want the %d that were there when it began", n, want)
		}
	}
}

func cancelledRead(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	c.Grow(t, l, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range l.Read(ctx, c.Aggregate, 0) {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, log.ErrUnavailable) {
			t.Fatalf("read yielded %v", err)
		}
	}
	for _, err := range l.Follow(ctx, "") {
		if err != nil {
			t.Fatalf("follow yielded %v", err)
		}
	}
	if _, err := l.Usage(ctx); !errors.Is(err, log.ErrUnavailable) {
		t.Fatalf("usage answered %v", err)
	}
}

func readCursors(t *testing.T, p Place) {
	l := p.Open(t)
	a, b := run("a"), run("b")
	var kept []log.Stored
	for range 3 {
		kept = append(kept, a.Grow(t, l, 1)...)
		kept = append(kept, b.Grow(t, l, 1)...)
	}
	other := p.Open(t)
	for i, s := range kept {
		want := append([]log.Stored{}, kept[i+1:]...)
		same(t, "behind a cursor", want, All(t, l.ReadAll(t.Context(), s.Cursor)))
		same(t, "behind a cursor, elsewhere", want, All(t, other.ReadAll(t.Context(), s.Cursor)))
	}
}

func followAppends(t *testing.T, p Place) {
	l := p.Open(t)
	a, b := run("a"), run("b")
	kept := a.Grow(t, l, 3)
	from := kept[0].Cursor
	var seen []log.Stored
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for s, err := range l.Follow(ctx, from) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, s)
		switch len(seen) {
		case 2, 3, 4: // it is at the end, and has to wait for what comes
			kept = append(kept, b.Grow(t, l, 1)...)
		case 5:
			kept = append(kept, a.Grow(t, p.Open(t), 600)...)
		case 605:
			cancel()
		}
	}
	same(t, "followed", kept[1:], seen)
}

func rejectedUnseen(t *testing.T, p Place) {
	l, other := p.Open(t), p.Open(t)
	c := run("a")
	kept := c.Grow(t, l, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := make(chan struct{})
	done := make(chan []log.Stored)
	go func() {
		defer close(done)
		var seen []log.Stored
		for s, err := range p.Open(t).Follow(ctx, "") {
			if err != nil {
				t.Error(err)
				return
			}
			seen = append(seen, s)
			if len(seen) == 1 {
				close(first)
			}
			if len(seen) == 12 {
				break
			}
		}
		done <- seen
	}()
	<-first
	All(t, other.Read(t.Context(), c.Aggregate, 0)) // it thinks that it knows
	stale := *c
	stale.Author = "s"
	for range 11 {
		kept = append(kept, c.Grow(t, l, 1)...)
		refused(t, other, stale.Next(0), log.ErrConflict)
	}
	same(t, "followed", kept, <-done)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}

func unknownKept(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	e := c.Next(0)
	e.Data = events.Unknown{Type: "run.teleported.v9", Raw: jsontext.Value(`{"z":1,"a":{"b":[1,2.50,"x"]}}`)}
	e.Extra = jsontext.Value(`{"partition":"left"}`)
	s, err := l.Append(t.Context(), e, log.Ordinary)
	if err != nil {
		t.Fatal(err)
	}
	c.Took(s)
	kept := append([]log.Stored{s}, c.Grow(t, l, 1)...)
	got := All(t, l.Read(t.Context(), c.Aggregate, 0))
	same(t, "all", kept, got)
	b, err := events.Encode(got[0].Event)
	if err != nil || string(b) != string(s.Bytes) {
		t.Fatalf("encoded again: %s, %v\nwas: %s", b, err, s.Bytes)
	}
	report, err := log.Check(l.ReadAll(t.Context(), ""))
	if err != nil || !report.OK() || report.Unknown != 1 {
		t.Fatalf("check says %+v, %v", report, err)
	}
}

func expiredCursors(t *testing.T, p Place) {
	l := p.Open(t)
	kept := run("a").Grow(t, l, 2)
	whole := string(kept[1].Cursor)
	last := byte('0')
	if whole[len(whole)-1] == last {
		last = '1'
	}
	for _, c := range []log.Cursor{
		"garbage", "..", "1.2", "0.0", "1.x.y",
		log.Cursor("9" + whole),                                   // another generation
		log.Cursor("1.7" + whole[len("1.2"):]),                    // behind the end
		log.Cursor("1.1" + whole[len("1.2"):]),                    // another event
		log.Cursor(whole[:len(whole)-1] + string(rune(last))),     // another history
		log.Cursor(whole + "0"), log.Cursor(whole[:len(whole)-1]), // mangled
	} {
		n := 0
		for _, err := range l.ReadAll(t.Context(), c) {
			n++
			var expired *log.CursorError
			if !errors.Is(err, log.ErrCursorExpired) || !errors.As(err, &expired) {
				t.Fatalf("cursor %q: %v", c, err)
			}
			same(t, "from the oldest", kept, All(t, l.ReadAll(t.Context(), expired.Oldest)))
		}
		if n != 1 {
			t.Fatalf("cursor %q: read yielded %d times", c, n)
		}
	}
}

func restarted(t *testing.T, p Place) {
	l := p.Open(t)
	a, b := run("a"), run("b")
	kept := a.Grow(t, l, 3)
	kept = append(kept, b.Grow(t, l, 2)...)
	p.Restart(t)
	l = p.Open(t)
	for i, s := range kept {
		want := append([]log.Stored{}, kept[i+1:]...)
		same(t, "behind a cursor from before", want, All(t, l.ReadAll(t.Context(), s.Cursor)))
	}
	stale := run("a")
	stale.Author = "s"
	refused(t, l, stale.Next(0), log.ErrConflict)
	kept = append(kept, a.Grow(t, l, 1)...)
	kept = append(kept, b.Grow(t, p.Open(t), 1)...)
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
}
