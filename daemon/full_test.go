package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/engine"
	"autopilot/daemon/fleet"
	"autopilot/daemon/journal"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// narrow is a log that takes no ordinary events any more from one on.
type narrow struct {
	log.Log
	full func(events.Event) bool
}

func (n narrow) Append(ctx context.Context, e events.Event, c log.Class) (log.Stored, error) {
	if c == log.Ordinary && n.full(e) {
		return log.Stored{}, log.ErrFull
	}
	return n.Log.Append(ctx, e, c)
}

func simFleet(ctx context.Context, l log.Log, w *script) *fleet.Fleet {
	return fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
}

func TestARunCanBeStoppedWhileTheStoreIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Minute}}}
		l := narrow{log.NewMemory(log.MemoryConfig{}), func(e events.Event) bool { return e.Seq > 5 }}
		ctx, die := context.WithCancel(t.Context())
		f := simFleet(ctx, l, w)
		s, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if s, _ = f.State(s.ID); s.Status != run.Live || s.Log.Seq != 5 {
			t.Fatalf("the full store: %s after %d events", s.Status, s.Log.Seq)
		}
		if _, err := f.Do(ctx, s.ID, engine.Suspend{For: time.Minute}, "daemon:sim", ""); !errors.Is(err, engine.ErrNoRoom) {
			t.Fatalf("an ordinary command in a full store: %v", err)
		}
		if _, err := f.Do(ctx, s.ID, engine.Stop{Mode: events.StopCancel}, "local:0@sim/1", "stop"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if s, _ = f.State(s.ID); s.Status != run.Over || s.End.State != events.EndCancelled {
			t.Fatalf("cancelled in a full store: %+v", endOf(s))
		}
		die()
		f.Close()
	})
}

func TestACommandWhoseEventGotLostIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for _, fault := range []log.Fault{log.FaultConflict, log.FaultUnavailable, log.FaultUnavailableStored} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Hour}}}
				failed := map[string]bool{}
				l := log.NewMemory(log.MemoryConfig{Faults: func(e events.Event, _ int) log.Fault {
					typ := e.Data.EventType()
					if failed[typ] || typ != events.TypeStopRequested && typ != events.TypeRunResumed {
						return log.FaultNone
					}
					failed[typ] = true
					return fault
				}})
				ctx, die := context.WithCancel(t.Context())
				f := simFleet(ctx, l, w)
				s, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req")
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if s, err = f.Do(ctx, s.ID, engine.Stop{Mode: events.StopNow}, "local:0@sim/1", "stop"); err != nil || s.Stop != events.StopNow {
					t.Fatalf("stop: %q, %v", s.Stop, err)
				}
				time.Sleep(time.Minute)
				if s, err = f.Do(ctx, s.ID, engine.Resume{}, "local:0@sim/1", "resume"); err != nil || s.Status != run.Live {
					t.Fatalf("resume: %s, %v", s.Status, err)
				}
				die()
				f.Close()
			})
		})
	}
}

func TestARunThatCannotBeServedKeepsNoDaemonFromStarting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Hour}}}
		l := log.NewMemory(log.MemoryConfig{})
		ctx, die := context.WithCancel(t.Context())
		f := simFleet(ctx, l, w)
		if _, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		die()
		f.Close()

		ctx, die = context.WithCancel(t.Context())
		gone := func(context.Context, run.State) (workflow.Workflow, error) {
			return workflow.Workflow{}, errors.New("its workflow is gone")
		}
		f = fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: gone, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err := f.Load(ctx, engine.Reboot{Booted: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // its actor halts it
		if f.Busy() {
			t.Error("a run that is not served is waited for by a drain")
		}
		die()
		f.Close()
	})
}

func TestACommandThatMeetsTheEndOfTheDaemonCanBeAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Hour}}}
		ctx, die := context.WithCancel(t.Context())
		f := simFleet(ctx, log.NewMemory(log.MemoryConfig{}), w)
		s, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		die()
		f.Close()
		_, err = f.Do(t.Context(), s.ID, engine.Stop{Mode: events.StopNow}, "local:0@sim/1", "stop")
		var said *wire.Error
		if !errors.As(onWire(err), &said) || said.Code != wire.Unreachable {
			t.Fatalf("a stop that came too late: %v", onWire(err))
		}
		f.Serve(t.Context(), run.State{ID: "01LATE", Status: run.Live}, engine.Reboot{})
		if f.Actor("01LATE") != nil {
			t.Error("a run is served after the end")
		}
	})
}
