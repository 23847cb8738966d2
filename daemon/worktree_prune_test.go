package daemon

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

func TestOfTwoWhoPruneAtOnceEachTreeIsRemovedOnce(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	var dirs []string
	for _, name := range []string{"one", "two", "three"} {
		dir := f.plant(name)
		f.age(dir)
		dirs = append(dirs, dir)
	}
	q := wire.WorktreePruneRequest{Workspace: f.work, KeepS: int64(treesKept / time.Second)}
	asks := []func() error{}
	for range 3 {
		r := f.request()
		asks = append(asks, func() error { _, err := f.d.Worktrees.Prune(t.Context(), r, q); return err })
	}
	var wg sync.WaitGroup
	for _, ask := range asks {
		wg.Go(func() {
			if err := ask(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(f.pruned()); n != len(dirs) || slices.ContainsFunc(dirs, onDisk) {
		t.Errorf("%d facts of %d trees", n, len(dirs))
	}
}

func TestOnlyWhatWasShownIsPruned(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	one, two := f.plant("one"), f.plant("two")
	f.age(one)
	f.age(two)
	v := f.prunes(func(q *wire.WorktreePruneRequest) { q.Agreed = []string{one} })
	if !of(t, v, one).Removed || !holds(of(t, v, two), wire.HoldUnshown) || !onDisk(two) {
		t.Errorf("%+v", v)
	}
	f.git("worktree", "add", "-q", "-b", "mine", filepath.Join(f.base, "mine"))
	f.age(filepath.Join(f.base, "mine"))
	v = f.prunes(func(q *wire.WorktreePruneRequest) { q.All = true })
	if !of(t, v, two).Removed || !of(t, v, filepath.Join(f.base, "mine")).Removed {
		t.Errorf("all: %+v", v)
	}
}

func TestAPrunedWorkTreeComesBackWithItsIgnoredFiles(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	dir := f.plant("it-s#here")
	f.put(dir, "env.local", "K=1\n")
	f.put(dir, "out/notes/n.md", "n\n")
	f.put(dir, "big/x", "x")
	for i := range 600 {
		f.put(dir, "big/"+strconv.Itoa(i), "x")
	}
	f.age(dir)
	v := of(t, f.prunes(), dir)
	if !v.Removed || !slices.Equal(v.Kept, []string{"env.local", "out/notes/n.md"}) || !slices.Equal(v.Lost, []string{"big/"}) || len(v.Back) != 2 {
		t.Fatalf("%+v", v)
	}
	if gone := f.list().Removed; len(gone) != 1 || gone[0].Dir != dir || !slices.Equal(gone[0].Back, v.Back) {
		t.Errorf("shown later: %+v", gone)
	}
	for _, command := range v.Back {
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", command, err, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out/notes/n.md")); err != nil || string(text) != "n\n" {
		t.Errorf("%q, %v", text, err)
	}
	if got := f.in(dir, "status", "--porcelain", "--branch"); got != "## autopilot/it-s#here" {
		t.Errorf("status: %q", got)
	}
	if gone := f.list().Removed; len(gone) != 0 {
		t.Errorf("it is back: %+v", gone)
	}
}

// salvaged are the names under which work trees were recorded.
func (f *forest) salvaged(dir string) []string {
	f.t.Helper()
	found, err := filepath.Glob(filepath.Join(f.cfg.Places.State, "trees", tree.IDOf(dir)+".git", "refs", "autopilot", "*"))
	f.check(err)
	return found
}

// removals is where a daemon writes down what it removes.
func (f *forest) removals() string { return filepath.Join(f.cfg.Places.State, "worktrees") }

// halfRemoval is what it writes.
type halfRemoval struct {
	Dir    string                `json:"dir"`
	Aside  string                `json:"aside"`
	Folder string                `json:"folder"`
	Sure   bool                  `json:"sure"`
	By     string                `json:"by"`
	Fact   events.WorktreePruned `json:"fact"`
}

func (f *forest) announces(r halfRemoval) {
	f.t.Helper()
	b, err := json.Marshal(r)
	f.check(err)
	f.check(os.MkdirAll(f.removals(), 0o700))
	f.check(os.WriteFile(filepath.Join(f.removals(), r.Fact.Salvage+".json"), b, 0o600))
}

// half begins to remove a work tree as a daemon does that is killed then.
func (f *forest) half(name string, sure bool) (dir string, r halfRemoval) {
	f.t.Helper()
	dir = f.plant(name)
	f.put(dir, "env.local", "K\n")
	f.age(dir)
	id := "01JH4Z9QW3E8N5T7V2X0Y6A1B" + strconv.Itoa(len(name))
	r = halfRemoval{Dir: dir, Aside: tree.Aside(dir, id), Folder: gitDirIn(f, dir), Sure: sure, By: "local:0@test/1", Fact: events.WorktreePruned{
		Project: tree.IDOf(dir), Repository: tree.IDOf(filepath.Join(f.work, ".git")), Salvage: id, Commit: f.in(dir, "rev-parse", "HEAD"),
	}}
	saved, err := f.d.Worker.Salvage(f.t.Context(), tree.Workspace{ID: r.Fact.Project, Path: dir}, id, []string{"env.local"}, "x", false)
	f.check(err)
	r.Fact.Tree = saved.Tree
	f.announces(r)
	f.check(tree.MoveAside(dir, r.Aside))
	return dir, r
}

func TestADaemonThatWasKilledPutsAWorkTreeBackOrFinishes(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	doubtful, _ := f.half("doubtful", false)
	sure, r := f.half("sure", true)
	f.check(os.Remove(filepath.Join(r.Aside, "a.txt"))) // it had begun
	f.close()
	f.open()
	f.d.Worktrees.Finish(t.Context()) // waits for the one of the start
	if text, err := os.ReadFile(filepath.Join(doubtful, "env.local")); err != nil || string(text) != "K\n" || len(f.salvaged(doubtful)) != 0 {
		t.Errorf("not proven: %q, %v, %v", text, err, f.salvaged(doubtful))
	}
	if onDisk(sure) || onDisk(r.Aside) || onDisk(r.Folder) || len(f.salvaged(sure)) != 1 || len(f.pruned()) != 1 {
		t.Errorf("proven: still there, or not said once: %+v", f.pruned())
	}
	f.announces(r) // killed after it had said so
	f.d.Worktrees.Finish(t.Context())
	if left, _ := os.ReadDir(f.removals()); len(left) != 0 || len(f.pruned()) != 1 {
		t.Errorf("left %v, facts %+v", left, f.pruned())
	}
}

func TestTheRecordOfAPrunedWorkTreeGoesWithItsAge(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	dir := f.plant("one")
	f.age(dir)
	if v := of(t, f.prunes(), dir); !v.Removed || len(f.salvaged(dir)) != 1 {
		t.Fatalf("%+v", v)
	}
	f.prune(time.Now().Add(-time.Hour), false)
	if len(f.salvaged(dir)) != 1 {
		t.Error("it went before its time")
	}
	if v := f.prune(time.Now(), false); v.Trees != 2 || len(f.salvaged(dir)) != 0 || len(f.list().Removed) != 0 {
		t.Errorf("%+v, left %v", v, f.salvaged(dir))
	}
}

func TestADirectoryOfARunThatGitDoesNotListIsShownAndStays(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	dir := f.plant("lost")
	over := f.until(f.start(f.spec("test -f ok", "touch ok", func(r *wire.RunSpec) { r.Workspace, r.From = dir, f.work })).ID, settled)
	f.wants(over, "done")
	f.check(os.RemoveAll(gitDirIn(f, dir)))
	v := of(t, f.prunes(func(q *wire.WorktreePruneRequest) { q.KeepS = 0 }), dir)
	if v.Removed || !holds(v, wire.HoldUnknown) || v.Run != over.Facts.Handle || !onDisk(dir) {
		t.Errorf("%+v", v)
	}
}

// What a work tree's configuration names is not run.
func TestNothingOfAWorkTreeIsRunToLookAtIt(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	ran := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(t.TempDir(), "hook")
	f.check(proctest.WriteProgram(hook, "#!/bin/sh\ntouch "+ran+"\n"))
	dir := f.plant("one")
	f.check(os.MkdirAll(filepath.Join(f.work, ".git", "hooks"), 0o755))
	for _, name := range []string{"post-checkout", "reference-transaction", "post-index-change"} {
		f.check(os.Symlink(hook, filepath.Join(f.work, ".git", "hooks", name)))
	}
	for _, key := range []string{"core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external", "core.sshCommand"} {
		f.check(exec.Command("git", "config", "--file", filepath.Join(f.work, ".git", "config"), key, hook).Run())
	}
	f.put(filepath.Join(f.work, ".git", "info"), "attributes", "* filter=x\n")
	f.age(dir)
	f.check(os.Chtimes(filepath.Join(dir, "a.txt"), time.Now().Add(-99*24*time.Hour), time.Now().Add(-99*24*time.Hour)))
	f.check(ignoreGone(os.Remove(ran)))
	f.list()
	if v := of(t, f.prunes(), dir); !v.Removed || onDisk(ran) {
		t.Errorf("ran: %v, %+v", onDisk(ran), v)
	}
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A folder of git that does not say where the work tree is stands for it.
func TestAWorkTreeWithoutAPlaceIsNamedByWhatGitHasOfIt(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	dir := f.plant("one")
	folder := gitDirIn(f, dir)
	f.check(os.Remove(filepath.Join(folder, "gitdir")))
	v := of(t, f.prunes(), folder)
	if v.Gone || v.Goes || !holds(v, wire.HoldUnreadable) || !strings.HasPrefix(v.Held[len(v.Held)-1].What, folder+" does not say where") && !holds(v, wire.HoldNotOurs) {
		t.Errorf("%+v", v)
	}
	if !onDisk(dir) || !onDisk(folder) {
		t.Error("something of it went")
	}
}

// Two daemons do not know of each other; the repository is the same.
func TestOfTwoDaemonsWhichPruneAtOnceEachTreeIsRemovedByOneAtMost(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	other := &forest{site: newSite(t, nil), base: f.base}
	other.work = f.work
	var dirs []string
	for i := range 6 {
		dir := f.plant("t" + strconv.Itoa(i))
		f.age(dir)
		dirs = append(dirs, dir)
	}
	var wg sync.WaitGroup
	views := make([]wire.WorktreesView, 2)
	for i, at := range []*forest{f, other} {
		r := at.request()
		wg.Go(func() {
			var err error
			views[i], err = at.d.Worktrees.Prune(t.Context(), r, wire.WorktreePruneRequest{Workspace: f.work, KeepS: int64(treesKept / time.Second)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	removed := 0
	for _, v := range views {
		for _, w := range v.Worktrees {
			if w.Removed {
				removed++
			}
			if w.Dir == "" || holds(w, wire.HoldUnreadable) || holds(w, wire.HoldFailed) {
				t.Errorf("%+v", w)
			}
		}
	}
	left := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !onDisk(dir) }) // one of them was seen at work in it by the other
	if said := len(f.pruned()) + len(other.pruned()); removed != len(dirs)-len(left) || said != removed {
		t.Errorf("%d removed, %d said, %d of %d left", removed, said, len(left), len(dirs))
	}
	f.prunes()
	if slices.ContainsFunc(dirs, onDisk) || len(f.pruned())+len(other.pruned()) != len(dirs) {
		t.Errorf("afterwards alone: %d and %d said", len(f.pruned()), len(other.pruned()))
	}
}
