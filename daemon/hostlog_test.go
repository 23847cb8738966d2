package daemon

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
)

func simHost(t *testing.T, l log.Log) *hostLog {
	t.Helper()
	h, err := openHostLog(t.Context(), journal.New(l, "sim", time.Now), "sim", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func simTrust(config string) events.ConfigTrusted {
	return events.ConfigTrusted{Repository: "r", Config: events.Ref(config), Assurance: events.AssuredTTY}
}

// storedOf are the sequences and contents that a log holds for the host.
func storedOf(t *testing.T, l log.Log) []events.Event {
	t.Helper()
	var all []events.Event
	for st, err := range l.Read(t.Context(), events.Host("sim"), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, st.Event)
	}
	return all
}

func TestAHostsEventIsStoredOnceWhateverIsKnownOfItsOutcome(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]log.Fault{
		"nothing goes wrong":                   log.FaultNone,
		"the answer is lost":                   log.FaultLoseReply,
		"the request is lost":                  log.FaultLoseRequest,
		"it is refused though nothing came":    log.FaultConflict,
		"nobody can be asked":                  log.FaultUnavailable,
		"nobody can be asked and it is stored": log.FaultUnavailableStored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 0
				l := log.NewMemory(log.MemoryConfig{Faults: func(events.Event, int) log.Fault {
					if n++; n == 2 {
						return fault
					}
					return log.FaultNone
				}})
				h := simHost(t, l)
				for _, config := range []string{"a", "b", "c"} {
					e, err := h.Append(t.Context(), simTrust(config), "person:1@sim/pts-1", "req-"+config)
					if err != nil || e.Data != events.Data(simTrust(config)) || e.Causation != "req-"+config {
						t.Fatalf("append %s: %+v %v", config, e, err)
					}
				}
				if all := storedOf(t, l); len(all) != 3 || all[1].Data != events.Data(simTrust("b")) {
					t.Errorf("stored: %+v", all)
				}
				if again := simHost(t, l); !reflect.DeepEqual(again.State(), h.State()) {
					t.Errorf("a daemon that starts says %+v, this one %+v", again.State(), h.State())
				}
			})
		})
	}
}

func TestAHostsEventThatNobodyTakesIsAnErrorAndChangesNothing(t *testing.T) {
	t.Parallel()
	l := narrow{log.NewMemory(log.MemoryConfig{}), func(events.Event) bool { return true }}
	h := simHost(t, l)
	if _, err := h.Append(t.Context(), simTrust("a"), "person:1@sim/x", ""); !errors.Is(err, events.ErrNoRoom) {
		t.Errorf("error: %v", err)
	}
	if s := h.State(); s.Log.Seq != 0 || len(storedOf(t, l)) != 0 {
		t.Errorf("state: %+v", s)
	}
}

// forge stores an event for the host as somebody would who has the store.
func forge(ctx context.Context, t *testing.T, l log.Log, e events.Event) log.Stored {
	t.Helper()
	e.ID, e.Source, e.Aggregate, e.Time, e.Actor = journal.NewID(time.Now()), "autopilot/sim", events.Host("sim"), time.Now(), "person:1@sim/x"
	st, err := l.Append(ctx, e, log.Ordinary)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// swapped is a log that hands out another second event than it has.
type swapped struct{ log.Log }

func (s swapped) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for st, err := range s.Log.Read(ctx, agg, after) {
			if st.Event.Seq == 2 {
				st.Event.PrevHash = st.Hash
			}
			if !yield(st, err) {
				return
			}
		}
	}
}

func TestWhatFollowsABrokenChainOfTheHostCountsForNothing(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	first := forge(t.Context(), t, l, events.Event{Seq: 1, Data: simTrust("a")})
	forge(t.Context(), t, l, events.Event{Seq: 2, PrevHash: first.Hash, Data: simTrust("b")})
	if _, err := simHost(t, l).Whole(); err != nil {
		t.Fatalf("the whole log: %v", err)
	}
	h := simHost(t, swapped{l})
	if s, err := h.Whole(); !errors.Is(err, journal.ErrNotWhole) || s.Log.Broken != 2 {
		t.Errorf("broken at %d: %v", s.Log.Broken, err)
	}
	if _, err := h.Append(t.Context(), simTrust("c"), "person:1@sim/x", ""); !errors.Is(err, journal.ErrNotWhole) {
		t.Errorf("append: %v", err)
	}
}
