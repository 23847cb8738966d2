package log_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

func TestMemoryWaitsInsideABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := log.NewMemory(log.MemoryConfig{
			Faults: func(events.Event, int) log.Fault {
				time.Sleep(time.Minute) // a slow disk, in no time
				return log.FaultNone
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		seen := make(chan uint64)
		go func() {
			defer close(seen)
			for s, err := range l.Follow(ctx, "") {
				if err != nil {
					t.Error(err)
				}
				seen <- s.Event.Seq
			}
		}()
		run := &logtest.Chain{Aggregate: events.Run("a")}
		begin := time.Now()
		for n := range uint64(3) {
			go run.Grow(t, l, 1)
			if got := <-seen; got != n+1 {
				t.Fatalf("followed event %d, want %d", got, n+1)
			}
			synctest.Wait()
		}
		if took := time.Since(begin); took != 3*time.Minute {
			t.Fatalf("took %s of the bubble's time", took)
		}
		cancel()
		if s, ok := <-seen; ok {
			t.Fatalf("followed event %d after the end", s)
		}
	})
}

// Whatever goes wrong, a writer that reloads when it is told to never stores
// an event twice, loses none that was acknowledged, and leaves a sound log.
func TestAWriterThatReloadsLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		faults := rapid.SliceOf(rapid.SampledFrom([]log.Fault{
			log.FaultNone, log.FaultNone, log.FaultLoseReply, log.FaultLoseRequest, log.FaultConflict, log.FaultUnavailable, log.FaultUnavailableStored,
		})).Draw(rt, "faults")
		l := log.NewMemory(log.MemoryConfig{Faults: func(events.Event, int) log.Fault {
			if len(faults) == 0 {
				return log.FaultNone
			}
			f := faults[0]
			faults = faults[1:]
			return f
		}})
		run := &logtest.Chain{Aggregate: events.Run("a")}
		acknowledged := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "events") {
			s, err := l.Append(t.Context(), run.Next(0), log.Ordinary)
			switch {
			case err == nil:
				acknowledged[s.Hash] = true
				run.Took(s)
			case errors.Is(err, log.ErrUnavailable), errors.Is(err, log.ErrConflict):
				for s, err := range l.Read(t.Context(), run.Aggregate, run.Seq) {
					if err != nil {
						rt.Fatal(err)
					}
					run.Took(s)
				}
			default:
				rt.Fatal(err)
			}
		}
		for s := range l.ReadAll(t.Context(), "") { //nolint:errcheck // Check reads it again and says so
			delete(acknowledged, s.Hash)
		}
		report, err := log.Check(l.ReadAll(t.Context(), ""))
		if err != nil || !report.OK() || len(acknowledged) > 0 || report.Events != run.Seq {
			rt.Fatalf("check says %+v, %v; lost %v; the writer is at %d", report, err, acknowledged, run.Seq)
		}
	})
}
