package logtest

import (
	"errors"
	"testing"

	"autopilot/events/log"
)

// fill appends events of a class until the log is full.
func fill(t *testing.T, l log.Log, c *Chain, class log.Class, size int) []log.Stored {
	t.Helper()
	var kept []log.Stored
	for {
		s, err := l.Append(t.Context(), c.Next(size), class)
		if errors.Is(err, log.ErrFull) {
			return kept
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Took(s)
		kept = append(kept, s)
	}
}

func usage(t *testing.T, l log.Log) log.Usage {
	t.Helper()
	u, err := l.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func quota(t *testing.T, p Place) {
	l := p.Open(t)
	c := run("a")
	kept := fill(t, l, c, log.Ordinary, 900)
	kept = append(kept, fill(t, l, c, log.Ordinary, 0)...)
	ordinary := usage(t, l)
	if ordinary.Events != uint64(len(kept)) || ordinary.Bytes > ordinary.Quota-ordinary.Reserve || ordinary.Bytes < (ordinary.Quota-ordinary.Reserve)*9/10 {
		t.Fatalf("filled with ordinary events: %+v, %d events", ordinary, len(kept))
	}
	refused(t, l, run("b").Next(0), log.ErrFull)
	closing := fill(t, l, c, log.Closing, 900)
	if len(closing) < 10 {
		t.Fatalf("only %d closing events fit into the reserve", len(closing))
	}
	kept = append(kept, closing...)
	if u := usage(t, l); u.Events != uint64(len(kept)) || u.Bytes > u.Quota {
		t.Fatalf("filled with closing events: %+v, %d events", u, len(kept))
	}
	same(t, "all", kept, All(t, l.ReadAll(t.Context(), "")))
	refused(t, l, c.Next(0), log.ErrFull)
}

func quotaShared(t *testing.T, p Place) {
	l, other := p.Open(t), p.Open(t)
	a, b := run("a"), run("b")
	kept := a.Grow(t, l, 1)
	kept = append(kept, fill(t, other, b, log.Ordinary, 900)...)
	kept = append(kept, fill(t, l, a, log.Ordinary, 0)...)
	if u := usage(t, l); u.Bytes > u.Quota-u.Reserve || u.Events != uint64(len(kept)) {
		t.Fatalf("filled by two writers: %+v, %d events", u, len(kept))
	}
	same(t, "all", kept, All(t, other.ReadAll(t.Context(), "")))
}
