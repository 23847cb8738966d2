package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/api"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/store/journal"
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
		if _, err := f.Do(ctx, s.ID, engine.Suspend{For: time.Minute}, "daemon:sim", ""); !errors.Is(err, events.ErrNoRoom) {
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
		if !errors.As(api.Fault(err), &said) || said.Code != wire.Unreachable {
			t.Fatalf("a stop that came too late: %v", api.Fault(err))
		}
	})
}
