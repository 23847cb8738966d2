package daemon

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
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

func stateOf(id string, seq uint64) run.State { return run.State{ID: id, Log: run.Log{Seq: seq}} }

func TestTheEventsOfARunAreReadOnce(t *testing.T) {
	t.Parallel()
	var p past
	l := &countedLog{}
	for _, want := range []struct {
		id   string
		seq  uint64
		read int
	}{{"a", 9, 9}, {"a", 9, 9}, {"b", 9, 18}, {"a", 9, 27}, {"a", 4, 27}} {
		list, err := p.read(t.Context(), l, stateOf(want.id, want.seq), want.seq)
		if err != nil || len(list) != 9 || l.read != want.read {
			t.Errorf("%+v: %d events, %d read, %v", want, len(list), l.read, err)
		}
	}
	p.forget()
	if _, err := p.read(t.Context(), l, stateOf("a", 9), 9); err != nil || l.read != 36 {
		t.Errorf("%d read, %v", l.read, err)
	}
}

func TestWhatCannotBeReadIsNotKept(t *testing.T) {
	t.Parallel()
	var p past
	l := &countedLog{fails: 5}
	for want := range 2 {
		list, err := p.read(t.Context(), l, stateOf("a", 9), 9)
		if !errors.Is(err, errBehind) || len(list) != 4 || l.read != 4*(want+1) {
			t.Errorf("%d events, %d read, %v", len(list), l.read, err)
		}
	}
}

func TestALongRunIsNotKept(t *testing.T) {
	t.Parallel()
	var p past
	p.keep(stretch{id: "a", list: []events.Event{{Seq: 1}}, bytes: pastBytes + 1})
	if has := p.get("a"); has.list != nil {
		t.Errorf("%d events", len(has.list))
	}
}

// passing counts what is read of a real log.
type passing struct {
	log.Log
	read int
}

func (l *passing) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for st, err := range l.Log.Read(ctx, agg, after) {
			l.read++
			if !yield(st, err) {
				return
			}
		}
	}
}

// long appends a run of so many events, beside another one.
func (s *site) long(id string, n int) (all []events.Event) {
	s.t.Helper()
	before := map[string]string{}
	for seq := 1; seq <= n; seq++ {
		for _, run := range []string{id, "01BESIDE"} {
			e := events.Event{
				ID: fmt.Sprint(run, seq), Source: "autopilot/h", Aggregate: events.Run(run), Seq: uint64(seq), PrevHash: before[run],
				Time: time.Unix(int64(seq), 0).UTC(), Actor: "daemon:h", Data: events.RunSuspended{MS: int64(seq)},
			}
			st, err := s.d.log.Append(s.t.Context(), e, log.Ordinary)
			if err != nil {
				s.t.Fatal(err)
			}
			before[run] = st.Hash
			if run == id {
				all = append(all, st.Event)
			}
		}
	}
	return all
}

func TestALongRunIsReadFromTheFilesAsFromTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const n = longRead + 600
	all := s.long("01LONG", n)
	st := stateOf("01LONG", n)
	for name, c := range map[string]struct {
		streams string
		lasts   []uint64
		read    []int // of the log, after each
	}{
		"in one go":           {s.d.past.streams, []uint64{n}, []int{1}},
		"in pieces":           {s.d.past.streams, []uint64{longRead + 5, 20, n - 1, n}, []int{1, 1, 1, 1}},
		"its beginning":       {s.d.past.streams, []uint64{3, n}, []int{n, n}},
		"where no files are":  {t.TempDir(), []uint64{n}, []int{n}},
		"where none are read": {"", []uint64{n}, []int{n}},
	} {
		l := &passing{Log: s.d.log}
		p := past{streams: c.streams}
		for i, last := range c.lasts {
			list, err := p.read(t.Context(), l, st, last)
			if err != nil || latest(list) < last || l.read != c.read[i] {
				t.Fatalf("%s: up to %d there are %d events, %d of the log: %v", name, last, len(list), l.read, err)
			}
			if d := cmp.Diff(all[:len(list)], list); d != "" {
				t.Fatalf("%s: up to %d (-log +files):\n%s", name, last, d)
			}
		}
	}
}
