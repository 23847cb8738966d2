package log_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

func listed(list []log.Stored) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for _, st := range list {
			if !yield(st, nil) {
				return
			}
		}
	}
}

func bytesOf(list []log.Stored) []string {
	var out []string
	for _, st := range list {
		out = append(out, st.Subject+" "+string(st.Bytes))
	}
	return out
}

func TestALaterGenerationHoldsWhatWasCarriedAndGoesOn(t *testing.T) {
	t.Parallel()
	old := startServer(t, false).open(t, roomy)
	one, two := &logtest.Chain{Aggregate: events.Run("a")}, &logtest.Chain{Aggregate: events.Run("b")}
	cursor := one.Grow(t, old, 700)[0].Cursor // more than are on their way at once
	two.Grow(t, old, 3)
	all := logtest.All(t, old.ReadAll(t.Context(), ""))

	later := roomy
	later.Generation = 7
	s := startServer(t, false)
	l := s.open(t, later)
	if err := l.Carry(t.Context(), listed(all)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(bytesOf(all), bytesOf(logtest.All(t, l.ReadAll(t.Context(), "")))); d != "" {
		t.Fatal(d)
	}
	two.Grow(t, l, 1)
	s.stop()
	s.start(t)
	l = s.open(t, roomy) // the newest that is there, whatever would be made
	got := logtest.All(t, l.ReadAll(t.Context(), ""))
	report, err := log.Check(listed(got))
	if err != nil || !report.OK() || len(got) != len(all)+1 {
		t.Fatalf("%d events, %v, %v", len(got), report.Bad, err)
	}
	for _, err := range l.ReadAll(t.Context(), cursor) {
		if !errors.Is(err, log.ErrCursorExpired) {
			t.Fatalf("a cursor of the old generation: %v", err)
		}
		break
	}
	if err := l.Carry(t.Context(), listed(all)); !errors.Is(err, log.ErrNotNew) {
		t.Errorf("carried into a log with events: %v", err)
	}
}

func TestCarryEndsWithWhatItReads(t *testing.T) {
	t.Parallel()
	l := startServer(t, false).open(t, roomy)
	broken := errors.New("broken")
	err := l.Carry(t.Context(), func(yield func(log.Stored, error) bool) { yield(log.Stored{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("answered %v", err)
	}
}
