package fleet

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

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// keeping is a fleet that keeps its states in a file.
func keeping(ctx context.Context, t *testing.T, l log.Log, w patient, path string) *Fleet {
	t.Helper()
	k, err := OpenKept(KeptConfig{Path: path, Streams: filepath.Join(filepath.Dir(path), "none"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f := serving(ctx, l, w, k)
	if err := f.Load(ctx, engine.Reboot{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// quick takes a minute, and two iterations.
var quick = patient{takes: time.Minute, fails: 1}

// threeRuns makes a log with a run that is over, one that is halted and one that
// is live, and gives back what they fold to.
func threeRuns(t *testing.T, l log.Log, path string) map[string]run.State {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	f := keeping(ctx, t, l, quick, path)
	for i, id := range []string{"01OVER", "01HALTED", "01LIVE"} {
		s := started(f.NewHandle(id), fmt.Sprint(i))
		if id == "01HALTED" {
			s.Limits.Iterations = 1
		}
		if _, err := f.Begin(ctx, id, s, "local:0@host/1", "req-"+id); err != nil {
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

// known reads a fleet's states at the moment of its load.
func known(f *Fleet) map[string]run.State {
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
				want := threeRuns(t, l, path)
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				ctx, die := context.WithCancel(t.Context())
				f := keeping(ctx, t, l, quick, path)
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
		threeRuns(t, log.NewMemory(log.MemoryConfig{}), path)
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, log.NewMemory(log.MemoryConfig{}), quick, path)
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
		threeRuns(t, l, path)
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
		f := keeping(ctx, t, older, quick, path)
		if s, ok := f.State("01OVER"); !ok || s.Log.Seq != 2 || len(f.Heads()) != 1 {
			t.Errorf("the run is after event %d, of %d runs", s.Log.Seq, len(f.Heads()))
		}
		die()
		f.Close()
	})
}

func TestStatesOfFinishedRunsAreNotHeldInMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		l := log.NewMemory(log.MemoryConfig{})
		want := threeRuns(t, l, path)["01OVER"]
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, l, patient{}, path)
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
		f := keeping(ctx, t, log.NewMemory(log.MemoryConfig{}), patient{}, path)
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

func TestASnapshotDoesNotHideThatTheEndOfARunIsNotDone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		f := keeping(ctx, t, log.NewMemory(log.MemoryConfig{}), patient{takes: time.Minute, records: time.Hour}, path)
		s, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		untilOver(f, s.ID)
		over := time.Now()
		f.SaveStates(ctx)
		if err := f.Settle(ctx, s.ID); err != nil || time.Since(over) != time.Hour {
			t.Errorf("it waited %v: %v", time.Since(over), err)
		}
		die()
		f.Close()
	})
}
