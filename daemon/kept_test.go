package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/engine"
	"autopilot/daemon/fleet"
	"autopilot/daemon/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// keeping is a fleet that keeps its states in a file.
func keeping(ctx context.Context, t *testing.T, l log.Log, w *script, path string) *fleet.Fleet {
	t.Helper()
	k, err := fleet.OpenKept(fleet.KeptConfig{Path: path, Streams: filepath.Join(filepath.Dir(path), "none"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler), Kept: k})
	if err := f.Load(ctx, engine.Reboot{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// threeRuns makes a log with a run that is over, one that is halted and one that
// is live, and gives back what they fold to.
func threeRuns(t *testing.T, l log.Log, w *script, path string) map[string]run.State {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	f := keeping(ctx, t, l, w, path)
	for i, id := range []string{"01OVER", "01HALTED", "01LIVE"} {
		started := simStart()
		started.Project, started.Handle = fmt.Sprint(i), f.NewHandle(id)
		if id == "01HALTED" {
			started.Limits.Iterations = 1
		}
		if _, err := f.Begin(ctx, id, started, "local:0@sim/1", "req-"+id); err != nil {
			t.Fatal(err)
		}
		if id != "01LIVE" {
			time.Sleep(time.Hour)
		}
	}
	time.Sleep(90 * time.Second)
	die()
	f.Close()
	f.SaveStates(t.Context())
	states := map[string]run.State{}
	for _, s := range f.States() {
		states[s.ID] = s
	}
	if states["01OVER"].Status != run.Over || states["01HALTED"].Status != run.Halted || states["01LIVE"].Status != run.Live {
		t.Fatalf("the runs are %s, %s and %s", states["01OVER"].Status, states["01HALTED"].Status, states["01LIVE"].Status)
	}
	return states
}

func slow() *script {
	return &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Minute}, {Tree: 2, Takes: time.Minute}}}
}

// known reads a fleet's states at the moment of its load.
func known(f *fleet.Fleet) map[string]run.State {
	states := map[string]run.State{}
	for _, s := range f.States() {
		states[s.ID] = s
	}
	return states
}

func TestADaemonKnowsFromASnapshotWhatTheLogSays(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"as it was written": func(string) error { return nil },
		"cut off":           func(path string) error { return os.Truncate(path, 900) },
		"changed": func(path string) error {
			b, err := os.ReadFile(path)
			for i := 10; i < len(b) && err == nil; i += 97 {
				b[i] ^= 4
			}
			return os.WriteFile(path, b, 0o600)
		},
		"one state changed": func(path string) error {
			b, err := os.ReadFile(path)
			if err == nil {
				b[20] ^= 1
				err = os.WriteFile(path, b, 0o600)
			}
			return err
		},
		"gone": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "snapshot")
			synctest.Test(t, func(t *testing.T) {
				l := log.NewMemory(log.MemoryConfig{})
				want := threeRuns(t, l, slow(), path)
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				ctx, die := context.WithCancel(t.Context())
				f := keeping(ctx, t, l, slow(), path)
				if d := cmp.Diff(want, known(f)); d != "" {
					t.Errorf("(-before +after):\n%s", d)
				}
				time.Sleep(time.Hour)
				if s, _ := f.State("01LIVE"); s.Status != run.Over || s.Log.Broken != 0 {
					t.Errorf("the live run goes on to %s, broken at %d", s.Status, s.Log.Broken)
				}
				die()
				f.Close()
				proveLog(t, l)
			})
		})
	}
}

func proveLog(t *testing.T, l log.Log) {
	t.Helper()
	if report, err := log.Check(l.ReadAll(context.Background(), "")); err != nil || !report.OK() {
		t.Errorf("log: %v %v", report.Bad, err)
	}
}

func TestASnapshotOfAnotherStoreIsDropped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		threeRuns(t, log.NewMemory(log.MemoryConfig{}), slow(), path)
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, log.NewMemory(log.MemoryConfig{}), slow(), path)
		if got := f.States(); len(got) > 0 {
			t.Errorf("%d runs are known to an empty log", len(got))
		}
		die()
		f.Close()
	})
}

// A rolled-back store is one whose snapshot speaks of what is not there.
func TestASnapshotFromTheFutureIsDropped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		l := log.NewMemory(log.MemoryConfig{})
		threeRuns(t, l, slow(), path)
		older := log.NewMemory(log.MemoryConfig{})
		for st, err := range l.ReadAll(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			if st.Event.Aggregate == events.Run("01OVER") && st.Event.Seq < 3 {
				if _, err := older.Append(t.Context(), st.Event, log.Ordinary); err != nil {
					t.Fatal(err)
				}
			}
		}
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, older, slow(), path)
		if s, ok := f.State("01OVER"); !ok || s.Log.Seq != 2 || len(f.Heads()) != 1 {
			t.Errorf("the run is after event %d, of %d runs", s.Log.Seq, len(f.Heads()))
		}
		die()
		f.Close()
	})
}
