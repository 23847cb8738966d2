package past

import (
	"context"
	"errors"
	"iter"
	"testing"

	"autopilot/events"
	"autopilot/events/log"
)

// countedLog says how many events were read of it, and fails behind one.
type countedLog struct {
	log.Log
	read  int
	fails uint64
}

var errBehind = errors.New("cannot be read")

func (l *countedLog) Read(_ context.Context, agg events.Aggregate, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for seq := after + 1; seq <= 9; seq++ {
			if seq == l.fails {
				yield(log.Stored{}, errBehind)
				return
			}
			l.read++
			if !yield(log.Stored{Event: events.Event{Aggregate: agg, Seq: seq}, Bytes: make([]byte, pastBytes/20)}, nil) {
				return
			}
		}
	}
}

func TestTheEventsOfARunAreReadOnce(t *testing.T) {
	t.Parallel()
	var p Past
	l := &countedLog{}
	for _, want := range []struct {
		id   string
		seq  uint64
		read int
	}{{"a", 9, 9}, {"a", 9, 9}, {"b", 9, 18}, {"a", 9, 27}, {"a", 4, 27}} {
		list, err := p.Read(t.Context(), l, "", want.id, want.seq)
		if err != nil || len(list) != 9 || l.read != want.read {
			t.Errorf("%+v: %d events, %d read, %v", want, len(list), l.read, err)
		}
	}
	p.forget()
	if _, err := p.Read(t.Context(), l, "", "a", 9); err != nil || l.read != 36 {
		t.Errorf("%d read, %v", l.read, err)
	}
}

func TestWhatCannotBeReadIsNotKept(t *testing.T) {
	t.Parallel()
	var p Past
	l := &countedLog{fails: 5}
	for want := range 2 {
		list, err := p.Read(t.Context(), l, "", "a", 9)
		if !errors.Is(err, errBehind) || len(list) != 4 || l.read != 4*(want+1) {
			t.Errorf("%d events, %d read, %v", len(list), l.read, err)
		}
	}
}

func TestALongRunIsNotKept(t *testing.T) {
	t.Parallel()
	var p Past
	p.keep(stretch{id: "a", list: []events.Event{{Seq: 1}}, bytes: pastBytes + 1})
	if has := p.get("a"); has.list != nil {
		t.Errorf("%d events", len(has.list))
	}
}
