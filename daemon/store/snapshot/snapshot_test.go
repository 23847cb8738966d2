package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// history makes any events at all of a few runs and of a host, in a log.
func history(t *rapid.T) *log.Memory {
	l := log.NewMemory(log.MemoryConfig{})
	more(t, l, rapid.IntRange(0, 40).Draw(t, "events"))
	return l
}

var begin = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// more adds n events to a log.
func more(t *rapid.T, l *log.Memory, n int) {
	last := map[events.Aggregate]log.Stored{}
	for st, err := range l.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		last[st.Event.Aggregate] = st
	}
	for range n {
		agg := events.Run(rapid.SampledFrom([]string{"01A", "01B", "01C", "01D"}).Draw(t, "run"))
		before := last[agg]
		e := events.Event{
			ID: fmt.Sprintf("%s-%d", agg.ID, before.Event.Seq+1), Source: "autopilot/t", Aggregate: agg, Actor: "daemon:t",
			Time: begin.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(t, "at")) * time.Millisecond),
			Seq:  before.Event.Seq + 1, PrevHash: before.Hash, Data: data(t, agg.ID),
			Causation: rapid.SampledFrom([]string{"", "r1"}).Draw(t, "cause"),
		}
		if before.Event.Seq == 0 {
			e.Data = events.RunStarted{Handle: agg.ID, Project: "p" + agg.ID, Phase: "work", Tree: "t0", Gates: gates(t)}
		}
		st, err := l.Append(context.Background(), e, log.Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		last[agg] = st
	}
}

func gates(t *rapid.T) []events.Gate {
	return rapid.SampledFrom([][]events.Gate{nil, {}, {{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}}}).Draw(t, "gates")
}

func data(t *rapid.T, id string) events.Data {
	n := rapid.IntRange(0, 5).Draw(t, "n")
	results := rapid.SampledFrom([][]events.GateResult{nil, {}, {{Gate: "test", Verdict: events.Fail, Exit: n}}}).Draw(t, "results")
	return rapid.SampledFrom([]events.Data{
		events.GatesStarted{Iteration: n, Effects: []events.EffectRef{{Gate: "test", Effect: id}}},
		events.GatesJudged{Iteration: n, Results: results, Tree: "t1"},
		events.IterationStarted{Iteration: n, Attempt: 2, WallMS: 5},
		events.AgentEnded{Outcome: events.Lost},
		events.AgentEnded{Outcome: events.Exited, Claim: events.ClaimDone},
		events.IterationRecorded{Iteration: n, Verdict: events.Fail, Fingerprint: fmt.Sprint("f", n), Signature: "s"},
		events.IterationRecorded{Verdict: events.Skipped},
		events.RunSuspended{MS: int64(n)},
		events.StopRequested{Mode: events.StopNow},
		events.RunHalted{Reason: events.HaltStuck, Iterations: rapid.SampledFrom([][]int{nil, {}, {1, 2}}).Draw(t, "iterations")},
		events.RunResumed{Note: "n"},
		events.RunEnded{State: events.EndDone},
		events.Unknown{Type: "x.v1", Raw: []byte("{}")},
	}).Draw(t, "data")
}

// atOnce folds a whole log without a snapshot.
func atOnce(t *rapid.T, l log.Log) map[string]run.State {
	states := map[string]run.State{}
	for st, err := range l.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		states[st.Event.Aggregate.ID] = run.Evolve(states[st.Event.Aggregate.ID], st.Event)
	}
	return states
}

func all(t *rapid.T, f *snapshot.Fold) map[string]run.State {
	states := map[string]run.State{}
	for _, h := range f.Heads() {
		s, err := f.State(h.ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := snapshot.HeadOf(s, h.Hash); want != h {
			t.Fatalf("head %+v of a state with %+v", h, want)
		}
		states[h.ID] = s
	}
	return states
}

func catchUp(f *snapshot.Fold, l log.Log) error {
	return f.AddAll(l.ReadAll(context.Background(), f.Cursor()))
}

// exact tells nil from empty, as what a state is compared with does.
func exact(a, b map[string]run.State) string { return cmp.Diff(a, b) }

func open(t *rapid.T, path string) *snapshot.Snapshot {
	s, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written is a snapshot of a log.
func written(t *rapid.T, path string, l log.Log) *snapshot.Snapshot {
	f := snapshot.NewFold(nil)
	if err := catchUp(f, l); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestASnapshotAndTheRestEqualAFoldAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	rapid.Check(t, func(t *rapid.T) {
		l := history(t)
		f := snapshot.NewFold(nil)
		if rapid.Bool().Draw(t, "spill") {
			if err := f.SpillTo(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		for range rapid.IntRange(1, 4).Draw(t, "snapshots") {
			if err := catchUp(f, l); err != nil {
				t.Fatal(err)
			}
			if err := f.Write(path); err != nil {
				t.Fatal(err)
			}
			s := open(t, path)
			defer s.Close()
			f = snapshot.NewFold(s)
			if diff := exact(atOnce(t, l), all(t, f)); diff != "" {
				t.Fatalf("the snapshot (-log +snapshot):\n%s", diff)
			}
			more(t, l, rapid.IntRange(0, 20).Draw(t, "more"))
		}
		if err := catchUp(f, l); err != nil {
			t.Fatal(err)
		}
		if diff := exact(atOnce(t, l), all(t, f)); diff != "" {
			t.Fatalf("the snapshot and the rest (-log +both):\n%s", diff)
		}
	})
}

func TestAChangedSnapshotIsNeverBelieved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	rapid.Check(t, func(t *rapid.T) {
		l := history(t)
		written(t, path, l).Close()
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(whole)-1).Draw(t, "at")
		changed := bytes.Clone(whole[:at])
		if rapid.Bool().Draw(t, "flip") {
			changed = bytes.Clone(whole)
			changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Open(path)
		if err != nil {
			if !errors.Is(err, snapshot.ErrDropped) {
				t.Fatalf("error %v, want ErrDropped", err)
			}
			return
		}
		defer s.Close()
		want, refused := atOnce(t, l), 0
		for _, h := range s.Heads() {
			got, err := s.State(h.ID)
			switch {
			case errors.Is(err, snapshot.ErrDropped):
				refused++
			case err != nil:
				t.Fatal(err)
			case !cmp.Equal(want[h.ID], got):
				t.Fatalf("byte %d: run %s is believed to be\n%s", at, h.ID, cmp.Diff(want[h.ID], got))
			}
		}
		if refused == 0 {
			t.Fatalf("byte %d of %d was changed, and nothing is refused", at, len(whole))
		}
	})
}

func TestASnapshotOfAnotherHistoryDoesNotFit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	rapid.Check(t, func(t *rapid.T) {
		l := history(t)
		more(t, l, 1)
		s := written(t, path, l)
		defer s.Close()
		other := log.NewMemory(log.MemoryConfig{})
		switch rapid.SampledFrom([]string{"empty", "rolled back", "other"}).Draw(t, "store") {
		case "rolled back":
			copyAllBut(t, l, other, 1)
		case "other":
			copyAllBut(t, l, other, 1)
			more(t, other, 1)
			if rapid.Bool().Draw(t, "longer") {
				more(t, other, 10)
			}
		}
		err := catchUp(snapshot.NewFold(s), other)
		if same := equalLogs(t, l, other); same != (err == nil) {
			t.Fatalf("error %v for an equal log %v", err, same)
		}
		if err != nil && !errors.Is(err, snapshot.ErrMismatch) {
			t.Fatalf("error %v, want ErrMismatch", err)
		}
	})
}

// copyAllBut copies a log without its last n events.
func copyAllBut(t *rapid.T, from, to log.Log, n int) {
	var list []log.Stored
	for st, err := range from.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, st)
	}
	for _, st := range list[:len(list)-n] {
		if _, err := to.Append(context.Background(), st.Event, log.Ordinary); err != nil {
			t.Fatal(err)
		}
	}
}

// equalLogs says that a log begins with all of another.
func equalLogs(t *rapid.T, a, b log.Log) bool {
	var hashes []string
	for st, err := range b.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, st.Hash)
	}
	n := 0
	for st, err := range a.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(hashes) || hashes[n] != st.Hash {
			return false
		}
		n++
	}
	return true
}

// alter yields a log with something done to one event.
func alter(l log.Log, from log.Cursor, which func(log.Stored) bool, change func(*log.Stored)) func(func(log.Stored, error) bool) {
	return func(yield func(log.Stored, error) bool) {
		for st, err := range l.ReadAll(context.Background(), from) {
			if err == nil && which(st) {
				change(&st)
			}
			if !yield(st, err) {
				return
			}
		}
	}
}

func TestARunThatDoesNotGoOnFromItsSnapshotDropsIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*log.Stored){
		"another hash before it": func(st *log.Stored) { st.Event.PrevHash = "another" },
		"an event is skipped":    func(st *log.Stored) { st.Event.Seq++ },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "snapshot")
			rapid.Check(t, func(t *rapid.T) {
				l := history(t)
				more(t, l, 12)
				s := written(t, path, l)
				defer s.Close()
				more(t, l, 12)
				f, done := snapshot.NewFold(s), false
				err := f.AddAll(alter(l, f.Cursor(), func(st log.Stored) bool {
					_, known := s.Head(st.Event.Aggregate.ID)
					first := known && !done
					done = done || known
					return first
				}, change))
				if done != errors.Is(err, snapshot.ErrMismatch) {
					t.Fatalf("error %v, changed %v", err, done)
				}
			})
		})
	}
}

func TestABrokenChainIsRememberedInTheState(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	rapid.Check(t, func(t *rapid.T) { l = history(t); more(t, l, 30) })
	f := snapshot.NewFold(nil)
	seen := map[string]bool{}
	err := f.AddAll(alter(l, "", func(st log.Stored) bool { return st.Event.Seq == 2 }, func(st *log.Stored) {
		st.Event.PrevHash, seen[st.Event.Aggregate.ID] = "another", true
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range f.Heads() {
		if s, err := f.State(h.ID); err != nil || (s.Log.Broken == 2) != seen[h.ID] {
			t.Errorf("run %s: broken at %d, %v", h.ID, s.Log.Broken, err)
		}
	}
}

func TestNoSnapshotIsNotADroppedOne(t *testing.T) {
	t.Parallel()
	if _, err := snapshot.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Open(empty); !errors.Is(err, snapshot.ErrDropped) {
		t.Errorf("error %v, want ErrDropped", err)
	}
}

func TestAFailedWriteLeavesTheOldSnapshotAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	if err := os.Mkdir(path, 0o700); err != nil { // no file can take its name
		t.Fatal(err)
	}
	if err := snapshot.NewFold(nil).Write(path); err == nil {
		t.Fatal("written over a directory")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestAKilledWriterLeavesNothingThatStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	for range 2 { // what a killed one had written, longer than the next
		if err := os.WriteFile(path+".new", bytes.Repeat([]byte("x"), 1<<16), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := snapshot.NewFold(nil).Write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.Open(path); err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
