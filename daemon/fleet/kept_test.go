package fleet

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/engine"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// keeping is a fleet that keeps its states in a file.
func keeping(ctx context.Context, t *testing.T, l log.Log, path string) *Fleet {
	t.Helper()
	k, err := OpenKept(KeptConfig{Path: path, Streams: filepath.Join(filepath.Dir(path), "none"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f := serving(ctx, l, k)
	if err := f.Load(ctx, engine.Reboot{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// oneOver makes a log and a snapshot with a run that is over, and gives back what it
// folds to.
func oneOver(t *testing.T, l log.Log, path string) run.State {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	f := keeping(ctx, t, l, path)
	if _, err := f.Begin(ctx, "01OVER", started("over", "p"), "local:0@host/1", "req"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Hour)
	die()
	f.Close()
	f.SaveStates(t.Context())
	s, ok := f.State("01OVER")
	if !ok || s.Status != run.Over || s.End.State != events.EndDone {
		t.Fatalf("the run is %s", s.Status)
	}
	return s
}

func TestStatesOfFinishedRunsAreNotHeldInMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		l := log.NewMemory(log.MemoryConfig{})
		want := oneOver(t, l, path)
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, l, path)
		if f.runs["01OVER"].state != nil {
			t.Error("the state is in memory")
		}
		// Without the snapshot it is in the log.
		f.cfg.Kept.current.Store(nil)
		if s, ok := f.State("01OVER"); !ok || !cmp.Equal(want, s) {
			t.Errorf("from the log: %v", cmp.Diff(want, s))
		}
		die()
		f.Close()
	})
}

func TestManyEventsMakeASnapshotWhileRunsGoOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, log.NewMemory(log.MemoryConfig{}), path)
		go f.KeepStates(ctx)
		if _, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(keepAfter / 2)
		if _, err := os.Stat(path); err == nil {
			t.Error("a snapshot for a few events")
		}
		time.Sleep(keepAfter)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("no snapshot after %v: %v", keepAfter, err)
		}
		die()
		f.Close()
	})
}
