package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/projections/run"
)

func ids(heads []archive.Head) (out []string) {
	for _, h := range heads {
		out = append(out, h.Handle)
	}
	return out
}

func TestWhatIsAddedIsThereAndStays(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	mine, theirs := write(t, whom, []*story{done("bbbb", 2), done("aaaa", 1)}), write(t, whom, []*story{started("cccc", "live")})
	a, err := archive.OpenArchive(dir, slog.New(slog.DiscardHandler))
	must(t, err)
	at := made.Add(time.Hour)
	f := add(t, a, mine, false, at)
	want := archive.File{
		Path: f.Path, SHA256: events.Digest(sum(mine)), At: at, Runs: 2, Events: 10, Bytes: int64(len(mine)),
	}
	if d := cmp.Diff(want, f); d != "" {
		t.Errorf("file (-want +got):\n%s", d)
	}
	add(t, a, theirs, true, at.Add(time.Minute))
	look := func(a *archive.Archive) {
		t.Helper()
		if got := ids(a.Heads()); !slices.Equal(got, []string{"aaaa", "bbbb", "cccc"}) {
			t.Errorf("runs %v", got)
		}
		for _, s := range []*story{done("bbbb", 2), done("aaaa", 1), started("cccc", "live")} {
			h, ok := a.Head(s.ID)
			last := s.list[len(s.list)-1]
			if want := snapshot.HeadOf(s.fold(), last.Hash); !ok || h.Head != want || h.Imported != (s.Handle == "cccc") {
				t.Errorf("head %+v, want %+v", h, want)
			}
			got, err := a.State(s.ID)
			if d := cmp.Diff(s.fold(), got); err != nil || d != "" {
				t.Errorf("state of %s: %v (-want +got):\n%s", s.Handle, err, d)
			}
			if d := cmp.Diff(s.bytes(), all(t, a.Events(s.ID, 0))); d != "" {
				t.Errorf("events of %s (-want +got):\n%s", s.Handle, d)
			}
		}
		for _, f := range a.Bundles() {
			if f.Problem != nil || a.Check(t.Context(), f) != nil {
				t.Errorf("%s: %v, %v", f.Path, f.Problem, a.Check(t.Context(), f))
			}
		}
	}
	look(a)
	before := a.Bundles()
	must(t, a.Close())
	again := openArchive(t, dir)
	look(again)
	if d := cmp.Diff(before, again.Bundles()); d != "" {
		t.Errorf("bundles (-before +after):\n%s", d)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	t.Parallel()
	a := openArchive(t, filepath.Join(t.TempDir(), "archive"))
	if _, err := a.State("01J"); !errors.Is(err, archive.ErrNoRun) {
		t.Errorf("state: %v", err)
	}
	for _, err := range a.Events("01J", 0) {
		if !errors.Is(err, archive.ErrNoRun) {
			t.Errorf("events: %v", err)
		}
	}
	if _, ok := a.Head("01J"); ok || len(a.Heads())+len(a.Bundles()) > 0 {
		t.Error("there is something")
	}
	if _, err := archive.OpenArchive(filepath.Join(t.TempDir(), "no", "archive"), slog.New(slog.DiscardHandler)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder in no folder: %v", err)
	}
}

func TestABundleThatIsThereIsNotAddedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	b := write(t, whom, []*story{done("aaaa", 1)})
	first := add(t, a, b, false, made)
	if again := add(t, a, b, true, made.Add(time.Hour)); again != first {
		t.Errorf("added again as %+v, was %+v", again, first)
	}
	if got := names(t, dir); len(got) != 2 || len(a.Bundles()) != 1 {
		t.Errorf("files %v", got)
	}
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestADamagedBundleIsNotTakenIn(t *testing.T) {
	t.Parallel()
	for name, worse := range map[string]func(*parts){
		"its manifest": func(p *parts) { p.raw = "junk" },
		"a run":        func(p *parts) { p.lines(func(l [][]byte) [][]byte { return l[1:] }) },
		"a text":       func(p *parts) { p.put("texts/"+string(ref("task")), []byte("tusk")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			p := sample(t)
			worse(p)
			tmp := incoming(t, a, p.build(t))
			if _, err := a.Add(t.Context(), tmp, true, made); !errors.Is(err, archive.ErrDamaged) {
				t.Errorf("error %v", err)
			}
			if got := names(t, dir); !slices.Equal(got, []string{filepath.Base(tmp)}) || len(a.Heads()) > 0 {
				t.Errorf("files %v, runs %v", got, ids(a.Heads()))
			}
		})
	}
}

func TestARunOfSeveralBundlesIsReadWhereMostIsKnown(t *testing.T) {
	t.Parallel()
	short, long := done("aaaa", 1), done("aaaa", 3)
	for name, tt := range map[string]struct {
		bundles  []*story
		imported []bool
		events   int
	}{
		"own before imported":       {[]*story{long, short}, []bool{true, false}, len(short.list)},
		"own stays before imported": {[]*story{short, long}, []bool{false, true}, len(short.list)},
		"the longer one":            {[]*story{short, long}, []bool{true, true}, len(long.list)},
		"the longer one stays":      {[]*story{long, short}, []bool{true, true}, len(long.list)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			for i, s := range tt.bundles {
				add(t, a, write(t, whom, []*story{s}), tt.imported[i], made.Add(time.Duration(i)*time.Hour))
			}
			for _, a := range []*archive.Archive{a, openArchive(t, dir)} {
				if got := len(all(t, a.Events(short.ID, 0))); got != tt.events || len(a.Heads()) != 1 {
					t.Errorf("%d events in %d runs, want %d", got, len(a.Heads()), tt.events)
				}
			}
		})
	}
}

func TestStatesAreMadeAnewFromTheBundle(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, states string){
		"missing": func(t *testing.T, states string) { must(t, os.Remove(states)) },
		"cut":     func(t *testing.T, states string) { must(t, os.Truncate(states, 40)) },
		"empty":   func(t *testing.T, states string) { must(t, os.Truncate(states, 0)) },
		"of another bundle": func(t *testing.T, states string) {
			must(t, snapshot.WriteStates(states, "something else", func(func(snapshot.Folded, error) bool) {}))
		},
		"of another fold": func(t *testing.T, states string) { edit(t, states, "apsnap", "apsnop") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			s := done("aaaa", 2)
			f := add(t, a, write(t, whom, []*story{s, done("bbbb", 1)}), false, made)
			heads := a.Heads()
			states := strings.TrimSuffix(f.Path, ".zip") + ".states"
			spoil(t, states)
			var out bytes.Buffer
			again, err := archive.OpenArchive(dir, slog.New(slog.NewTextHandler(&out, nil)))
			must(t, err)
			defer again.Close()
			if d := cmp.Diff(heads, again.Heads(), cmp.AllowUnexported(snapshot.Spent{})); d != "" {
				t.Errorf("heads (-before +after):\n%s", d)
			}
			if got, err := again.State(s.ID); err != nil || !cmp.Equal(got, s.fold()) {
				t.Errorf("state %+v, %v", got, err)
			}
			if said := strings.Contains(out.String(), "make the states of a bundle anew"); said == (name == "missing") {
				t.Errorf("logged: %s", out.String())
			}
			third := openArchive(t, dir) // finds what was made
			if d := cmp.Diff(heads, third.Heads(), cmp.AllowUnexported(snapshot.Spent{})); d != "" {
				t.Errorf("heads (-before +after):\n%s", d)
			}
		})
	}
}

func edit(t *testing.T, path, from, to string) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	overwrite(t, path, bytes.Replace(b, []byte(from), []byte(to), 1))
}

func TestAStateThatCannotBeReadIsFoldedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	s := done("aaaa", 2)
	f := add(t, openArchive(t, dir), write(t, whom, []*story{s}), false, made)
	a := openArchive(t, dir)
	edit(t, strings.TrimSuffix(f.Path, ".zip")+".states", "aaaa", "abba")
	if got, err := a.State(s.ID); err != nil || !cmp.Equal(got, s.fold()) {
		t.Errorf("state %+v, %v", got, err)
	}
}

func TestABundleThatWasDamagedLaterIsAProblemAndGivesWhatItCan(t *testing.T) {
	t.Parallel()
	one, two := done("aaaa", 2), done("bbbb", 2)
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		runs  []string
	}{
		"cut":     {func(t *testing.T, path string) { must(t, os.Truncate(path, 100)) }, nil},
		"changed": {func(t *testing.T, path string) { flip(t, path, 90) }, []string{"", "bbbb"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			f := add(t, openArchive(t, dir), write(t, whom, []*story{one, two}), false, made)
			tt.spoil(t, f.Path)
			for range 2 {
				must(t, os.RemoveAll(strings.TrimSuffix(f.Path, ".zip")+".states"))
				a := openArchive(t, dir)
				if got := a.Bundles(); len(got) != 1 || !errors.Is(got[0].Problem, archive.ErrDamaged) {
					t.Errorf("bundles %+v", got)
				}
				if err := a.Check(t.Context(), f); !errors.Is(err, archive.ErrDamaged) {
					t.Errorf("check: %v", err)
				}
				if got := a.Heads(); len(got) != len(tt.runs) {
					t.Errorf("runs %v, want %v", ids(got), tt.runs)
				}
			}
		})
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	b[at] ^= 1
	overwrite(t, path, b)
}

func TestABundleUnderAnotherHashIsFound(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	f := add(t, a, write(t, whom, []*story{done("aaaa", 1)}), false, made)
	overwrite(t, f.Path, write(t, whom, []*story{done("aaaa", 2)}))
	if err := a.Check(t.Context(), f); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

func TestARunOfNewerEventsIsAsItsManifestSays(t *testing.T) {
	t.Parallel()
	newer := events.Unknown{Type: "run.parked.v9", Raw: []byte(`{"for":"ever"}`)}
	for name, tt := range map[string]struct {
		story   *story
		status  run.Status
		settled string
		unknown int
	}{
		"it began with one":        {newStory("aaaa", "done").add(newer), run.Over, "done", 1},
		"it ended with one":        {started("aaaa", "parked").add(newer), run.Over, "parked", 1},
		"it is live":               {started("aaaa", "live").add(newer), run.Live, "", 1},
		"it began with one, live":  {newStory("aaaa", "live").add(newer), run.Over, "live", 1},
		"it has one in its middle": {started("aaaa", "done").add(newer).add(events.RunEnded{State: events.EndDone}), run.Over, "done", 1},
		"it has no events":         {newStory("aaaa", "done"), run.Over, "done", 0},
		"its end is damaged":       {started("aaaa", "failed").raw([]byte("junk")), run.Over, "failed", 0},
		"all is known":             {started("aaaa", "done"), run.Live, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openArchive(t, filepath.Join(t.TempDir(), "archive"))
			add(t, a, write(t, whom, []*story{tt.story}), true, made)
			h, ok := a.Head(tt.story.ID)
			if !ok || h.Status != tt.status || h.Settled != tt.settled || h.Handle != "aaaa" {
				t.Errorf("head %+v", h)
			}
			s, err := a.State(tt.story.ID)
			must(t, err)
			if s.Status != tt.status || s.Log.Unknown != tt.unknown || s.Clock.Active(made.Add(time.Hour)) != s.Clock.Active(made.Add(2*time.Hour)) != (tt.status == run.Live) {
				t.Errorf("state %+v", s)
			}
			if d := cmp.Diff(tt.story.bytes(), all(t, a.Events(tt.story.ID, 0))); d != "" {
				t.Errorf("events (-in +out):\n%s", d)
			}
		})
	}
}

func TestLeftoversOfAProcessThatDiedAreRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	f := add(t, openArchive(t, dir), write(t, whom, []*story{done("aaaa", 1)}), false, made)
	keep := append(names(t, dir), "notes.txt", "20260101T000000Z-rolled-x.zip")
	orphan := "20260101T000000Z-rolled-" + sum(nil)
	for _, name := range []string{"incoming-1.tmp", orphan + ".states", filepath.Base(f.Path) + ".states.new", "notes.txt", "20260101T000000Z-rolled-x.zip"} {
		overwrite(t, filepath.Join(dir, name), nil)
	}
	a := openArchive(t, dir)
	slices.Sort(keep)
	if d := cmp.Diff(keep, names(t, dir)); d != "" || len(a.Bundles()) != 1 {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// childDir names the folder of a process that adds a bundle and is killed.
const childDir = "ARCHIVE_TEST_DIR"

func child(dir string) int {
	a, err := archive.OpenArchive(filepath.Join(dir, "archive"), slog.New(slog.DiscardHandler))
	if err == nil {
		tmp := filepath.Join(dir, "archive", "incoming-1.tmp")
		if err = os.Rename(filepath.Join(dir, "bundle"), tmp); err == nil {
			_, err = a.Add(context.Background(), tmp, false, made)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestAProcessThatIsKilledLeavesABundleOrNone(t *testing.T) {
	t.Parallel()
	for _, point := range []string{failpoint.DuringSnapshot, failpoint.AfterSnapshot, failpoint.BeforeAppend} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := write(t, whom, []*story{done("aaaa", 1)})
			overwrite(t, filepath.Join(dir, "bundle"), b)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childDir+"="+dir, failpoint.Variable+"="+point)
			out, err := cmd.CombinedOutput()
			if killed := point != failpoint.BeforeAppend; killed == (err == nil) {
				t.Fatalf("%v: %s", err, out)
			}
			again := openArchive(t, filepath.Join(dir, "archive"))
			if got := names(t, filepath.Join(dir, "archive")); len(got) != 2*len(again.Bundles()) {
				t.Errorf("files %v", got)
			}
			add(t, again, b, false, made.Add(time.Hour))
			if got := again.Bundles(); len(got) != 1 || again.Check(t.Context(), got[0]) != nil || len(again.Heads()) != 1 {
				t.Errorf("bundles %+v", got)
			}
		})
	}
}

func TestManyReadersAndAWriterAtOnce(t *testing.T) {
	t.Parallel()
	a := openArchive(t, filepath.Join(t.TempDir(), "archive"))
	var stories []*story
	for i := range 4 {
		s := done(fmt.Sprintf("%04d", i), i)
		stories = append(stories, s)
		add(t, a, write(t, whom, []*story{s}), i%2 == 0, made.Add(time.Duration(i)*time.Hour))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 8 {
				s := stories[(i+j)%len(stories)]
				if got := all(t, a.Events(s.ID, 0)); !cmp.Equal(got, s.bytes()) {
					t.Errorf("%d events of %s", len(got), s.Handle)
				}
				if _, err := a.State(s.ID); err != nil || len(a.Heads()) < 4 {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() { add(t, a, write(t, whom, []*story{done("zzzz", 1)}), true, made) })
	wg.Wait()
}
