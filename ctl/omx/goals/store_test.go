package goals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"autopilot/projections/omx/ultragoal"
)

const now = "2026-01-02T03:04:05.000Z"

func storeIn(dir string) Store {
	return Store{Root: dir, Now: func() string { return now }, Alive: func(int) bool { return false }, Wait: Waited}
}

func newStore(t *testing.T) Store {
	t.Helper()
	s := storeIn(t.TempDir())
	if err := s.create(t, false); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s Store) create(t *testing.T, force bool) error {
	t.Helper()
	return s.Create(t.Context(), "the brief", force, func() (ultragoal.Change, error) {
		return ultragoal.Create("the brief", []ultragoal.Wanted{{Title: "a", Objective: "do a"}, {Title: "b", Objective: "do b"}}, ultragoal.Aggregate, now)
	})
}

func (s Store) add(ctx context.Context, title string) error {
	return s.Change(ctx, func(st State) (ultragoal.Change, error) {
		c, _, err := ultragoal.Add(st.Plan, ultragoal.Wanted{Title: title, Objective: "do " + title}, "", now)
		return c, err
	})
}

func (s Store) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s Store) text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files are the content of the directory by name.
func (s Store) files(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(s.dir())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		all[e.Name()] = s.text(t, e.Name())
	}
	return all
}

func TestWritersAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const writers, each = 8, 5
	var all sync.WaitGroup
	errs := make(chan error, writers*each)
	for w := range writers {
		all.Go(func() {
			for n := range each {
				errs <- s.add(t.Context(), fmt.Sprintf("w%d-%d", w, n))
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := s.Read(t.Context())
	if err != nil || len(st.Plan.Goals) != 2+writers*each || len(st.Rows) != 1+writers*each {
		t.Fatalf("%v: %d stories, %d rows", err, len(st.Plan.Goals), len(st.Rows))
	}
	if got := s.files(t); len(got) != 3 {
		t.Errorf("something is left over: %d files", len(got))
	}
}

// A change is noted before it is carried out. However far it came, the next command
// makes it whole, once.
func TestAChangeThatWasCutOffIsCarriedOut(t *testing.T) {
	t.Parallel()
	whole := newStore(t)
	before := whole.files(t)
	if err := whole.add(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	after := whole.files(t)
	rows := strings.TrimPrefix(after[ledgerName], before[ledgerName])
	note, err := json.Marshal(change{Size: int64(len(before[ledgerName])), Rows: rows, Plan: after[planName]})
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range []bool{true, false} {
		for _, cut := range []int{0, 1, len(rows) / 2, len(rows) - 1, len(rows), len(rows) + 1} {
			s := newStore(t)
			s.put(t, changeName, string(note))
			s.put(t, ledgerName, before[ledgerName]+rows[:min(cut, len(rows))])
			if cut > len(rows) {
				s.put(t, planName, after[planName])
			}
			var err error
			if read {
				_, err = s.Read(t.Context())
			} else {
				err = s.Change(t.Context(), func(State) (ultragoal.Change, error) { return ultragoal.Change{Same: true}, nil })
			}
			if diff := cmp.Diff(after, s.files(t)); diff != "" || err != nil {
				t.Fatalf("cut at %d: %v\n%s", cut, err, diff)
			}
		}
	}
	for name, ledger := range map[string]string{"a row of somebody else": before[ledgerName] + "{}\n", "a ledger that was cut": before[ledgerName][:5]} {
		s := newStore(t)
		s.put(t, changeName, string(note))
		s.put(t, ledgerName, ledger)
		if err := s.add(t.Context(), "d"); !errors.Is(err, ultragoal.ErrDamaged) || s.text(t, ledgerName) != ledger {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestANewPlanThatWasCutOffIsBegun(t *testing.T) {
	t.Parallel()
	fresh := newStore(t)
	files := fresh.files(t)
	note, err := json.Marshal(change{Rows: files[ledgerName], Plan: files[planName], Brief: files[briefName], Fresh: "20260102T030405000Z"})
	if err != nil {
		t.Fatal(err)
	}
	for _, missing := range [][]string{{planName}, {planName, ledgerName}, {planName, ledgerName, briefName}} {
		s := newStore(t)
		for _, name := range missing {
			if err := os.Remove(s.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		s.put(t, changeName, string(note))
		st, err := s.Read(t.Context())
		if err != nil || len(st.Plan.Goals) != 2 {
			t.Errorf("without %q: %v", missing, err)
		}
	}
}

func TestForceKeepsThePlanAndTheLedgerBefore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := s.add(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	before := s.files(t)
	if err := s.create(t, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(before, s.files(t)); diff != "" {
		t.Fatal(diff)
	}
	for n := range 2 { // in the same millisecond too
		if err := s.create(t, true); err != nil {
			t.Fatal(err)
		}
		if got := len(s.files(t)); got != 3*(n+2) {
			t.Fatalf("%d files after %d", got, n+1)
		}
	}
	after := s.files(t)
	stamp := "20260102T030405000Z"
	if after["ledger-"+stamp+".jsonl"] != before[ledgerName] || after["goals-"+stamp+".json"] != before[planName] || after["brief-"+stamp+".md"] != before[briefName] {
		t.Errorf("%v", after)
	}
	// A damaged plan is kept in the same way.
	s.put(t, planName, "{")
	s.put(t, ledgerName, "x")
	if err := s.create(t, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatCannotBeUsedAreRefusedAndStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*testing.T, Store)
		want   string
	}{
		"goals.json cut in the middle": {func(t *testing.T, s Store) {
			text := s.text(t, planName)
			s.put(t, planName, text[:len(text)/2])
		}, "goals.json cannot be read"},
		"a ledger cut in the middle": {func(t *testing.T, s Store) {
			text := s.text(t, ledgerName)
			s.put(t, ledgerName, text[:len(text)/2])
		}, "ledger.jsonl line 1: the row is cut off"},
		"no ledger":     {func(t *testing.T, s Store) { remove(t, s.path(ledgerName)) }, "ledger.jsonl is missing"},
		"an empty file": {func(t *testing.T, s Store) { s.put(t, planName, "") }, "goals.json cannot be read"},
		"a story removed by hand": {func(t *testing.T, s Store) {
			st, err := s.load()
			if err != nil {
				t.Fatal(err)
			}
			st.Plan.Goals = st.Plan.Goals[:1]
			text, err := st.Plan.Text()
			if err != nil {
				t.Fatal(err)
			}
			s.put(t, planName, string(text))
		}, "G002-b was removed"},
		"a link": {func(t *testing.T, s Store) {
			remove(t, s.path(planName))
			if err := os.Symlink("/etc/passwd", s.path(planName)); err != nil {
				t.Fatal(err)
			}
		}, "is a link"},
		"a directory": {func(t *testing.T, s Store) {
			remove(t, s.path(ledgerName))
			if err := os.Mkdir(s.path(ledgerName), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is not a regular file"},
		"a note that is none": {func(t *testing.T, s Store) { s.put(t, changeName, "{") }, ".change.json cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			c.change(t, s)
			for _, err := range []error{s.add(t.Context(), "x"), func() error { _, err := s.Read(t.Context()); return err }()} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v", err)
				}
			}
			if _, err := os.Lstat(s.path(lockName)); err == nil {
				t.Error("the lock is left")
			}
		})
	}
	if err := storeIn(t.TempDir()).add(t.Context(), "x"); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, ".omx")); err != nil {
		t.Fatal(err)
	}
	if err := storeIn(dir).create(t, false); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("%v", err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestWhatAKilledWriterHasLeftIsSweptByTheNext(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, name := range []string{".goals.json.1.new", ".ledger.jsonl.22.new", "..change.json.3.new", "..mutation.lock.4.new"} {
		s.put(t, name, "half")
	}
	s.put(t, "goals.json.1.2.tmp", "of the release, which may be at work")
	if err := s.add(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if got := len(s.files(t)); got != 4 {
		t.Errorf("%d files", got)
	}
}

func TestALockHoldsWhileItsProcessLives(t *testing.T) {
	t.Parallel()
	lock := func(pid int, at string) string { return fmt.Sprintf(`{"pid":%d,"createdAt":%q}`, pid, at) }
	me := os.Getppid() // lives, and began before now
	for name, c := range map[string]struct {
		text  string
		alive bool
		held  bool
	}{
		"a process that lives":                       {lock(me, time.Now().UTC().Format(time.RFC3339Nano)), true, true},
		"a process that is gone":                     {lock(me, now), false, false},
		"O23 the id of a process that began later":   {lock(me, "2001-01-01T00:00:00.000Z"), true, false},
		"O5 a lock that is cut":                      {`{"pid":`, true, true},
		"O5 an empty lock":                           {"", true, true},
		"O5 a lock without a process":                {`{}`, true, true},
		"a lock of our own that was left":            {lock(os.Getpid(), now), true, false},
		"a process that is gone, and an odd time":    {lock(me, "yesterday"), false, false},
		"a process that lives, and no time is known": {lock(me, ""), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.Alive = func(int) bool { return c.alive }
			s.Wait = 0
			s.put(t, lockName, c.text)
			if c.held {
				err := s.add(t.Context(), "x")
				if err == nil || s.text(t, lockName) != c.text {
					t.Errorf("%v", err)
				}
				return
			}
			s.Wait = Waited
			if err := s.add(t.Context(), "x"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAWriterWaitsForTheOneBefore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	in, out, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- s.Change(t.Context(), func(st State) (ultragoal.Change, error) {
			close(in)
			<-out
			c, _, err := ultragoal.Add(st.Plan, ultragoal.Wanted{Title: "first", Objective: "o"}, "", now)
			return c, err
		})
	}()
	<-in
	short := s
	short.Wait = time.Millisecond
	if err := short.add(t.Context(), "late"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	close(out)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := s.add(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	st, err := s.Read(t.Context())
	if err != nil || len(st.Plan.Goals) != 4 {
		t.Errorf("%v: %d", err, len(st.Plan.Goals))
	}
}
