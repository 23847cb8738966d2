package daemon

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/past"
	"autopilot/events"
	"autopilot/events/log"
)

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
			st, err := s.d.Log.Append(s.t.Context(), e, log.Ordinary)
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
	const n = past.LongRead + 600
	all := s.long("01LONG", n)
	for name, c := range map[string]struct {
		streams string
		lasts   []uint64
		read    []int // of the log, after each
	}{
		"in one go":           {filestore.StreamsIn(s.d.Places.State), []uint64{n}, []int{1}},
		"in pieces":           {filestore.StreamsIn(s.d.Places.State), []uint64{past.LongRead + 5, 20, n - 1, n}, []int{1, 1, 1, 1}},
		"its beginning":       {filestore.StreamsIn(s.d.Places.State), []uint64{3, n}, []int{n, n}},
		"where no files are":  {t.TempDir(), []uint64{n}, []int{n}},
		"where none are read": {"", []uint64{n}, []int{n}},
	} {
		l := &passing{Log: s.d.Log}
		var p past.Past
		for i, last := range c.lasts {
			list, err := p.Read(t.Context(), l, c.streams, "01LONG", last)
			if err != nil || past.Latest(list) < last || l.read != c.read[i] {
				t.Fatalf("%s: up to %d there are %d events, %d of the log: %v", name, last, len(list), l.read, err)
			}
			if d := cmp.Diff(all[:len(list)], list); d != "" {
				t.Fatalf("%s: up to %d (-log +files):\n%s", name, last, d)
			}
		}
	}
}
