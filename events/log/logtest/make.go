package logtest

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/log"
)

// Chain makes the events of one aggregate, each on top of the one before.
type Chain struct {
	Aggregate events.Aggregate
	Seq       uint64
	Hash      string
	Author    string // goes into the ids, so that two authors' events differ
}

// Next makes the next event with a payload of about size bytes more than the
// least, and does not advance: only Took does.
func (c *Chain) Next(size int) events.Event {
	pad := make([]byte, size)
	for i := range pad {
		pad[i] = 'x'
	}
	return events.Event{
		ID:        fmt.Sprintf("%s%026d", c.Author, c.Seq+1),
		Source:    "autopilot/test",
		Aggregate: c.Aggregate,
		Time:      time.Date(2030, 1, 2, 3, 4, 5, int(c.Seq), time.UTC),
		Seq:       c.Seq + 1,
		PrevHash:  c.Hash,
		Actor:     events.ActorDaemon("test"),
		Data:      events.StopRequested{Mode: events.StopMode("now" + string(pad))},
	}
}

// Took says that s is stored.
func (c *Chain) Took(s log.Stored) { c.Seq, c.Hash = s.Event.Seq, s.Hash }

// Grow appends n events.
func (c *Chain) Grow(t *testing.T, l log.Log, n int) []log.Stored {
	t.Helper()
	out := make([]log.Stored, 0, n)
	for range n {
		s, err := l.Append(t.Context(), c.Next(0), log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		c.Took(s)
		out = append(out, s)
	}
	return out
}

func run(id string) *Chain { return &Chain{Aggregate: events.Run(id)} }

// All collects what a read yields.
func All(t *testing.T, read iter.Seq2[log.Stored, error]) []log.Stored {
	t.Helper()
	out := []log.Stored{}
	for s, err := range read {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func same(t *testing.T, what string, want, got []log.Stored) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b jsontext.Value) bool { return string(a) == string(b) })); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}
