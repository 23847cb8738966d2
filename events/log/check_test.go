package log_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

// reread yields stored events as a reader decodes them from their bytes.
func reread(stored []log.Stored) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for _, s := range stored {
			e, err := events.Decode(s.Bytes)
			s.Event, s.Hash = e, events.Hash(s.Bytes)
			if err != nil {
				err = fmt.Errorf("%w: %w", log.ErrDamaged, err)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// replace changes the bytes of an event on the disk.
func replace(s log.Stored, old, with string) log.Stored {
	if !bytes.Contains(s.Bytes, []byte(old)) {
		panic("nothing to replace: " + old)
	}
	s.Bytes = bytes.Replace(s.Bytes, []byte(old), []byte(with), 1)
	return s
}

func TestCheckNamesTheFirstBadEvent(t *testing.T) {
	t.Parallel()
	// Stored order: a1 b1 a2 b2 a3 b3 a4 b4 a5 b5.
	const n = 5
	whole := func() []log.Stored {
		l := log.NewMemory(log.MemoryConfig{})
		a, b := &logtest.Chain{Aggregate: events.Run("a")}, &logtest.Chain{Aggregate: events.Run("b")}
		var out []log.Stored
		for range n {
			out = append(out, a.Grow(t, l, 1)...)
			out = append(out, b.Grow(t, l, 1)...)
		}
		return out
	}
	for name, c := range map[string]struct {
		damage func([]log.Stored) []log.Stored
		want   []log.Bad
	}{
		"nothing is bad": {func(s []log.Stored) []log.Stored { return s }, nil},
		"a flipped byte in a value": {
			func(s []log.Stored) []log.Stored { s[2] = replace(s[2], `"now"`, `"nox"`); return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "its hash is not the one that event 3 carries"}},
		},
		"a flipped byte in the structure": {
			func(s []log.Stored) []log.Stored { s[2] = replace(s[2], `{"specversion"`, `["specversion"`); return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "damaged"}},
		},
		"a flipped byte in the subject": {
			func(s []log.Stored) []log.Stored { s[2] = replace(s[2], `"run.a"`, `"run.c"`); return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "it says that it belongs to run.c"}},
		},
		"a flipped byte in the sequence": {
			func(s []log.Stored) []log.Stored { s[2] = replace(s[2], `"seq":2`, `"seq":6`); return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 6, What: "it is stored where event 2 was due"}},
		},
		"a flipped byte in the previous hash": {
			func(s []log.Stored) []log.Stored { s[2] = replace(s[2], s[0].Hash, strings.Repeat("0", 64)); return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 1, What: "its hash is not the one that event 2 carries"}},
		},
		"a removed event": {
			func(s []log.Stored) []log.Stored { return slices.Delete(s, 4, 5) },
			[]log.Bad{{Aggregate: "run.a", Seq: 4, What: "it is stored where event 3 was due"}},
		},
		"a removed first event": {
			func(s []log.Stored) []log.Stored { return s[1:] },
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "it is stored where event 1 was due"}},
		},
		"re-ordered events": {
			func(s []log.Stored) []log.Stored { s[2], s[4] = s[4], s[2]; return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 3, What: "it is stored where event 2 was due"}},
		},
		"an event stored twice": {
			func(s []log.Stored) []log.Stored { return slices.Insert(s, 4, s[2]) },
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "it is stored where event 3 was due"}},
		},
		"an added event with a sequence of its own": {
			func(s []log.Stored) []log.Stored {
				return slices.Insert(s, 4, replace(replace(s[2], `"seq":2`, `"seq":3`), "now", "not"))
			},
			[]log.Bad{{Aggregate: "run.a", Seq: 2, What: "its hash is not the one that event 3 carries"}},
		},
		"an added event that continues the chain": {
			func(s []log.Stored) []log.Stored {
				return slices.Insert(s, 4, replace(replace(s[4], `"actor":"daemon`, `"actor":"nobody`), "now", "not"))
			},
			[]log.Bad{{Aggregate: "run.a", Seq: 3, What: "it is stored where event 4 was due"}},
		},
		"an event of another aggregate": {
			func(s []log.Stored) []log.Stored { s[3].Subject = s[2].Subject; return s },
			[]log.Bad{{Aggregate: "run.a", Seq: 3, What: "it says that it belongs to run.b"}, {Aggregate: "run.b", Seq: 3, What: "it is stored where event 2 was due"}},
		},
		"both aggregates, in stored order": {
			func(s []log.Stored) []log.Stored { return slices.Delete(slices.Delete(s, 4, 5), 1, 2) },
			[]log.Bad{{Aggregate: "run.b", Seq: 2, What: "it is stored where event 1 was due"}, {Aggregate: "run.a", Seq: 4, What: "it is stored where event 3 was due"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored := c.damage(whole())
			report, err := log.Check(reread(stored))
			if err != nil {
				t.Fatal(err)
			}
			if report.Events != uint64(len(stored)) || report.OK() != (c.want == nil) {
				t.Errorf("report %+v", report)
			}
			begins := cmp.Comparer(func(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) })
			if d := cmp.Diff(c.want, report.Bad, begins, cmpopts.IgnoreFields(log.Bad{}, "Position")); d != "" {
				t.Errorf("bad (-want +got):\n%s", d)
			}
			for _, b := range report.Bad {
				agg, err := events.ParseAggregate(b.Aggregate)
				if _, ok := report.Heads[agg]; ok || err != nil {
					t.Errorf("%s has a head, %v", b, err)
				}
			}
		})
	}
}

func TestCheckTellsWhereSoundAggregatesEnd(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	a := &logtest.Chain{Aggregate: events.Run("a")}
	kept := a.Grow(t, l, 3)
	report, err := log.Check(l.ReadAll(t.Context(), ""))
	if err != nil {
		t.Fatal(err)
	}
	want := map[events.Aggregate]log.Head{a.Aggregate: {Seq: 3, Hash: kept[2].Hash}}
	if d := cmp.Diff(want, report.Heads); d != "" {
		t.Fatalf("heads (-want +got):\n%s", d)
	}
}

func TestCheckSaysWhenItCouldNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	a := &logtest.Chain{Aggregate: events.Run("a")}
	a.Grow(t, l, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if report, err := log.Check(l.ReadAll(ctx, "")); !errors.Is(err, log.ErrUnavailable) {
		t.Fatalf("check answered %+v, %v", report, err)
	}
}
