package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/peerfile"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// treesKept is for how long a work tree is kept if nobody asks for another time.
const treesKept = 7 * 24 * time.Hour

// forest is a repository with work trees of runs, all unused for long.
type forest struct {
	*site
	base string
}

func newForest(t testing.TB) *forest {
	t.Helper()
	f := &forest{site: newSite(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.local\n/out/\n/big/\n"})}
	real, err := filepath.EvalSymlinks(f.work)
	if err != nil {
		t.Fatal(err)
	}
	f.work, f.base = real, filepath.Join(real, "..", "trees")
	f.base = filepath.Clean(f.base)
	f.git("config", "user.name", "u")
	f.git("config", "user.email", "u@x")
	f.committed()
	return f
}

// in runs git in a work tree.
func (f *forest) in(dir string, args ...string) string {
	f.t.Helper()
	return f.git(append([]string{"-C", dir}, args...)...)
}

// plant makes a work tree of a run.
func (f *forest) plant(name string) string {
	f.t.Helper()
	dir := filepath.Join(f.base, name)
	f.git("worktree", "add", "-q", "-b", "autopilot/"+name, dir)
	return dir
}

// put writes a file below a work tree.
func (f *forest) put(dir, name, text string) {
	f.t.Helper()
	path := filepath.Join(dir, name)
	f.check(os.MkdirAll(filepath.Dir(path), 0o755))
	f.check(os.WriteFile(path, []byte(text), 0o644))
}

func (f *forest) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// age makes a work tree look as if nobody had used it for long.
func (f *forest) age(dir string) {
	f.t.Helper()
	long := time.Now().Add(-treesKept - 48*time.Hour)
	folders := []string{dir}
	if gitDir, err := exec.Command("git", "-C", dir, "rev-parse", "--absolute-git-dir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(gitDir)))
	}
	for _, top := range folders {
		f.check(filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.Type()&fs.ModeSymlink != 0 {
				return err
			}
			return os.Chtimes(path, long, long)
		}))
	}
}

func (f *forest) list() wire.WorktreesView {
	f.t.Helper()
	v, err := f.d.Worktrees.List(f.t.Context(), f.request(), wire.WorktreesRequest{Workspace: f.work})
	f.check(err)
	return v
}

func (f *forest) prunes(edit ...func(*wire.WorktreePruneRequest)) wire.WorktreesView {
	f.t.Helper()
	q := wire.WorktreePruneRequest{Workspace: f.work, KeepS: int64(treesKept / time.Second)}
	for _, e := range edit {
		e(&q)
	}
	v, err := f.d.Worktrees.Prune(f.t.Context(), f.request(), q)
	f.check(err)
	return v
}

// holds says whether a work tree stays for a reason.
func holds(v wire.TreeView, why wire.TreeHold) bool {
	return slices.ContainsFunc(v.Held, func(h wire.TreeHeld) bool { return h.Why == why })
}

func of(t testing.TB, v wire.WorktreesView, dir string) wire.TreeView {
	t.Helper()
	i := slices.IndexFunc(v.Worktrees, func(w wire.TreeView) bool { return w.Dir == dir })
	if i < 0 {
		t.Fatalf("%s is not listed", dir)
	}
	return v.Worktrees[i]
}

func onDisk(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// pruned are the facts of the host about work trees.
func (f *forest) pruned() (out []events.WorktreePruned) {
	for _, d := range f.facts() {
		if p, ok := d.(events.WorktreePruned); ok {
			out = append(out, p)
		}
	}
	return out
}

// Field reports, B.4 63: clean-up destroyed dirty, unpushed and locked work trees,
// and those with a process in them.
func TestNothingIsPrunedThatIsNowhereElseOrInUse(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	far := filepath.Join(f.base, "far")
	f.put(far, "precious.txt", "precious\n")
	rows := []struct {
		name  string
		make  func(dir string) // before it ages
		after func(dir string) // after that
		class wire.TreeClass
		why   wire.TreeHold // empty goes
	}{
		{name: "clean", class: wire.TreeStale},
		{name: "ignored", make: func(d string) { f.put(d, "env.local", "K=1\n"); f.put(d, "out/a.o", "o") }, class: wire.TreeStale},
		{name: "link-out", make: func(d string) {
			f.check(os.Symlink(far, filepath.Join(d, "x.local")))
			f.check(os.MkdirAll(filepath.Join(d, "out"), 0o755))
			f.check(os.Symlink(far, filepath.Join(d, "out", "far")))
		}, class: wire.TreeStale},
		{name: "touched", after: func(d string) {
			long := time.Now().Add(-30 * 24 * time.Hour)
			f.check(os.Chtimes(filepath.Join(d, "a.txt"), long, long))
		}, class: wire.TreeStale},
		{name: "gone", after: func(d string) { f.check(os.RemoveAll(d)) }, class: wire.TreeStale},
		{name: "detached-merged", make: func(d string) { f.in(d, "checkout", "-q", "--detach") }, class: wire.TreeStale, why: wire.HoldNotOurs},
		{name: "changed", make: func(d string) { f.put(d, "a.txt", "other\n") }, class: wire.TreeStale, why: wire.HoldChanged},
		{name: "deleted", make: func(d string) { f.check(os.Remove(filepath.Join(d, "a.txt"))) }, class: wire.TreeStale, why: wire.HoldChanged},
		{name: "program", make: func(d string) { f.check(os.Chmod(filepath.Join(d, "a.txt"), 0o755)) }, class: wire.TreeStale, why: wire.HoldChanged},
		{name: "assumed", make: func(d string) {
			f.in(d, "update-index", "--assume-unchanged", "a.txt")
			f.put(d, "a.txt", "hidden\n")
		}, class: wire.TreeStale, why: wire.HoldChanged},
		{name: "skipped", make: func(d string) {
			f.in(d, "update-index", "--skip-worktree", "a.txt")
			f.put(d, "a.txt", "hidden\n")
		}, class: wire.TreeStale, why: wire.HoldChanged},
		{name: "staged", make: func(d string) {
			f.put(d, "a.txt", "other\n")
			f.in(d, "add", "a.txt")
			f.put(d, "a.txt", "a\n")
		}, class: wire.TreeStale, why: wire.HoldStaged},
		{name: "untracked-only", make: func(d string) { f.put(d, "new.txt", "n\n") }, class: wire.TreeStale, why: wire.HoldUntracked},
		{name: "untracked-hidden", make: func(d string) {
			f.in(d, "config", "status.showUntrackedFiles", "no")
			f.put(d, "new/new.txt", "n\n")
		}, class: wire.TreeStale, why: wire.HoldUntracked},
		{name: "committed", make: func(d string) { f.in(d, "commit", "-q", "--allow-empty", "-m", "own") }, class: wire.TreeStale, why: wire.HoldAlone},
		{name: "detached", make: func(d string) {
			f.in(d, "checkout", "-q", "--detach")
			f.in(d, "commit", "-q", "--allow-empty", "-m", "another")
		}, class: wire.TreeStale, why: wire.HoldAlone},
		{name: "merging", make: func(d string) { f.put(gitDirIn(f, d), "MERGE_HEAD", "x\n") }, class: wire.TreeStale, why: wire.HoldHalfway},
		{name: "nested", make: func(d string) {
			f.git("init", "-q", filepath.Join(d, "out", "inner"))
		}, class: wire.TreeStale, why: wire.HoldNested},
		{name: "nested-bare", make: func(d string) { f.git("init", "-q", "--bare", filepath.Join(d, "out", "inner.x")) }, class: wire.TreeStale, why: wire.HoldNested},
		{name: "nested-untracked", make: func(d string) { f.git("init", "-q", filepath.Join(d, "inner")) }, class: wire.TreeStale, why: wire.HoldNested},
		{name: "young-inside", after: func(d string) { f.put(d, "out/log", "now") }, class: wire.TreeYoung, why: wire.HoldYoung},
		{name: "locked", make: func(d string) { f.git("worktree", "lock", "--reason", "on a stick", d) }, class: wire.TreeLocked, why: wire.HoldLocked},
		{name: "locked-gone", make: func(d string) { f.git("worktree", "lock", d) }, after: func(d string) { f.check(os.RemoveAll(d)) }, class: wire.TreeLocked, why: wire.HoldLocked},
		{name: "index-lock", make: func(d string) { f.put(gitDirIn(f, d), "index.lock", "") }, class: wire.TreeLocked, why: wire.HoldGitAtWork},
		{name: "young", after: func(d string) {
			f.in(d, "commit", "-q", "--allow-empty", "-m", "x")
			f.in(d, "reset", "-q", "--hard", "HEAD~1")
		}, class: wire.TreeYoung, why: wire.HoldYoung},
		{name: "process", after: func(d string) { f.sleeper(d, "") }, class: wire.TreeInUse, why: wire.HoldProcess},
		{name: "open-file", after: func(d string) { f.sleeper("/", filepath.Join(d, "a.txt")) }, class: wire.TreeInUse, why: wire.HoldProcess},
		{name: "other-state", after: func(d string) { f.marks(d) }, class: wire.TreeInUse, why: wire.HoldOther},
		{name: "lock-live", make: func(d string) { f.put(d, ".orchestrator/session.lock", lockOf(time.Now(), 0, "elsewhere")) }, class: wire.TreeInUse, why: wire.HoldSession},
		{name: "lock-other-host", make: func(d string) { f.put(d, ".orchestrator/session.lock", lockOf(time.Time{}, 1<<22+1, "elsewhere")) }, class: wire.TreeInUse, why: wire.HoldSession},
		{name: "lock-live-process", make: func(d string) { f.put(d, ".orchestrator/session.lock", lockOf(time.Time{}, os.Getpid(), "")) }, class: wire.TreeInUse, why: wire.HoldSession},
		{name: "lock-corrupt", make: func(d string) { f.put(d, ".orchestrator/session.lock", "{") }, class: wire.TreeInUse, why: wire.HoldSession},
		{name: "socket", make: func(d string) {
			f.check(os.MkdirAll(filepath.Join(d, "out"), 0o755))
			dir, err := os.Open(filepath.Join(d, "out")) // its path is too long for an address
			f.check(err)
			defer dir.Close()
			f.socket(dir)
		}, class: wire.TreeStale, why: wire.HoldStrange},
	}
	for _, r := range rows {
		dir := f.plant(r.name)
		if r.make != nil {
			r.make(dir)
		}
		f.age(dir)
		if r.after != nil {
			r.after(dir)
		}
	}
	before := f.prunes(func(q *wire.WorktreePruneRequest) { q.DryRun = true })
	if len(f.pruned()) > 0 || before.Goes() != 5 {
		t.Errorf("a dry run: %d go, facts %+v", before.Goes(), f.pruned())
	}
	after := f.prunes()
	for _, r := range rows {
		dir := filepath.Join(f.base, r.name)
		for what, v := range map[string]wire.TreeView{"dry": of(t, before, dir), "real": of(t, after, dir)} {
			goes := r.why == ""
			if v.Class != r.class || !goes && !holds(v, r.why) || v.Goes != (goes && what == "dry") && what == "dry" || v.Removed != (goes && what == "real") {
				t.Errorf("%s, %s: %s, goes %v, removed %v, held %+v", r.name, what, v.Class, v.Goes, v.Removed, v.Held)
			}
		}
		if r.name != "gone" && r.name != "locked-gone" && onDisk(dir) != (r.why != "") {
			t.Errorf("%s is there: %v", r.name, onDisk(dir))
		}
	}
	if text, err := os.ReadFile(filepath.Join(far, "precious.txt")); err != nil || string(text) != "precious\n" {
		t.Errorf("behind a link: %q, %v", text, err)
	}
	if v := of(t, after, f.work); v.Class != wire.TreeMain || !onDisk(f.work) {
		t.Errorf("the main work tree: %+v", v)
	}
	if len(f.pruned()) != 5 {
		t.Errorf("facts: %+v", f.pruned())
	}
	left := f.git("worktree", "list", "--porcelain")
	for _, name := range []string{"clean", "gone"} {
		if strings.Contains(left, filepath.Join(f.base, name)+"\n") || !strings.Contains(f.git("branch", "--list", "autopilot/"+name), name) {
			t.Errorf("git lists %s, or has lost its branch", name)
		}
	}
	if marks, _ := filepath.Glob(filepath.Join(f.work, ".git", "autopilot-*.lock")); len(marks) != 1 {
		t.Errorf("marks that are left: %v", marks)
	}
}

func gitDirIn(f *forest, dir string) string { return f.in(dir, "rev-parse", "--absolute-git-dir") }

// sleeper is a process that works in a directory, or has a file open.
func (f *forest) sleeper(dir, file string) {
	f.t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Dir = dir
	if file != "" {
		open, err := os.Open(file)
		f.check(err)
		defer open.Close()
		cmd.ExtraFiles = []*os.File{open}
	}
	f.check(cmd.Start())
	f.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

// marks has another state directory hold a work tree.
func (f *forest) marks(dir string) {
	f.t.Helper()
	state := f.t.TempDir()
	f.check(os.WriteFile(filepath.Join(state, "host"), []byte("h2"), 0o600))
	m, err := claim.Hold(claim.MarkFile(filepath.Join(f.work, ".git"), tree.IDOf(dir)), claim.Info{State: state, Host: "h2", Who: "run zzzz", Beat: time.Now(), TTL: 7200})
	f.check(err)
	f.t.Cleanup(func() { _ = m.Keep() })
}

func lockOf(beat time.Time, pid int, host string) string {
	if beat.IsZero() {
		beat = time.Now().Add(-30 * 24 * time.Hour)
	}
	if host == "" {
		host, _ = os.Hostname()
	}
	if pid == 0 {
		pid = 1 << 22
	}
	return `{"session_id":"s","started_at":"` + beat.Format(time.RFC3339) + `","last_heartbeat":"` + beat.Format(time.RFC3339) + `","pid":` + strconv.Itoa(pid) + `,"host":"` + host + `"}`
}

// socket makes one in an open directory.
func (f *forest) socket(dir *os.File) {
	f.t.Helper()
	l, err := net.Listen("unix", "/proc/self/fd/"+strconv.Itoa(int(dir.Fd()))+"/s")
	f.check(err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	f.check(l.Close())
}

// S29, seeds 2.8.4: a lock of this host whose process has ended long ago holds
// nothing, but its record counts.
func TestAnOldLockOfAProcessThatHasEndedIsARecord(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	f.put(f.work, ".gitignore", "/.orchestrator/\n")
	f.committed()
	for name, beat := range map[string]time.Duration{"old": 8 * 24 * time.Hour, "recent": 5 * 24 * time.Hour} {
		dir := f.plant(name)
		f.put(dir, peerfile.LockPath(""), lockOf(time.Now().Add(-beat), endedPID(t), ""))
		f.age(dir)
	}
	v := f.list()
	if old := of(t, v, filepath.Join(f.base, "old")); !old.Goes || old.Class != wire.TreeStale {
		t.Errorf("old: %+v", old)
	}
	if recent := of(t, v, filepath.Join(f.base, "recent")); recent.Goes || recent.Class != wire.TreeKept {
		t.Errorf("recent: %+v", recent)
	}
}

func endedPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestWhatIsPushedCountsWhereThereIsARemote(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	remote := filepath.Join(t.TempDir(), "r.git")
	f.git("init", "-q", "--bare", remote)
	f.git("remote", "add", "origin", remote)
	f.git("push", "-q", "origin", "HEAD")
	dir := f.plant("own")
	f.in(dir, "commit", "-q", "--allow-empty", "-m", "own")
	f.git("merge", "-q", "autopilot/own")
	f.age(dir)
	if v := of(t, f.list(), dir); v.Goes || !holds(v, wire.HoldUnpushed) || holds(v, wire.HoldAlone) || v.Unpushed != 1 {
		t.Errorf("merged and not pushed: %+v", v)
	}
	f.git("push", "-q", "origin", "HEAD")
	if v := of(t, f.list(), dir); !v.Goes {
		t.Errorf("pushed: %+v", v)
	}
	v := f.prunes()
	if !of(t, v, dir).Removed || len(v.Merged) != 1 || v.Merged[0].Name != "autopilot/own" {
		t.Errorf("pruned: %+v", v)
	}
}

func TestAWorkTreeOfARunStaysUntilTheRunIsOverForAWeek(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	dir := f.plant("run")
	spec := func(goal string) wire.StartRequest {
		return f.spec(goal, "date +%N > n", func(r *wire.RunSpec) { r.Workspace, r.From, r.MaxIterations = dir, f.work, 1 })
	}
	halted := f.until(f.start(spec("test -f never")).ID, settled)
	f.wants(halted, "halted")
	f.age(dir)
	if v := of(t, f.list(), dir); v.Class != wire.TreeInUse || !holds(v, wire.HoldRun) || v.Run != halted.Facts.Handle || v.State != "halted" || !v.Ours {
		t.Errorf("halted: %+v", v)
	}
	over := f.stop(halted.ID, events.StopCancel)
	if over.Status != run.Over {
		over = f.until(halted.ID, func(s run.State) bool { return s.Status == run.Over })
	}
	if v := of(t, f.prunes(), dir); v.Class != wire.TreeKept || v.Removed || !holds(v, wire.HoldRecord) {
		t.Errorf("cancelled just now: %+v", v)
	}
	if v := of(t, f.prunes(func(q *wire.WorktreePruneRequest) { q.KeepS = 0; q.DryRun = true }), dir); v.State != "cancelled" {
		t.Errorf("its run: %+v", v)
	}
}
