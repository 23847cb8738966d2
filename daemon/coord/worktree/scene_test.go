package worktree

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/chain"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// grove is a repository with work trees of runs, and who looks after them on a host
// without runs and sessions, whose log is in memory.
type grove struct {
	*Keeper
	t          testing.TB
	work, base string
}

// nobody is the runs and sessions of such a host.
type nobody struct{}

func (nobody) Heads() []snapshot.Head                      { return nil }
func (nobody) State(string) (run.State, bool)              { return run.State{}, false }
func (nobody) Hold(string, string, string) (func(), error) { return func() {}, nil }
func (nobody) In(string) []peer.Trace                      { return nil }
func (nobody) Listed(string) []string                      { return nil }
func (nobody) Now() time.Time                              { return time.Now() }

// recorded is where trees would be recorded.
type recorded struct{ tree.Config }

func (r recorded) Trees() tree.Config { return r.Config }

func (recorded) Salvage(context.Context, tree.Workspace, string, []string, string, bool) (tree.Salvaged, error) {
	return tree.Salvaged{}, errors.New("nothing is recorded here")
}

func newGrove(t testing.TB) *grove {
	t.Helper()
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &grove{t: t, work: filepath.Join(real, "work"), base: filepath.Join(real, "trees")}
	state := t.TempDir()
	blobs, err := blob.Open(filepath.Join(state, "blobs"), blob.Process)
	g.check(err)
	l := slog.New(slog.DiscardHandler)
	j := journal.New(log.NewMemory(log.MemoryConfig{}), "here", time.Now)
	hosts, err := journal.Open(t.Context(), j, events.Host("here"), journal.Fold[host.State]{
		Evolve: host.Evolve, Log: func(s *host.State) *chain.Log { return &s.Log },
	}, l)
	g.check(err)
	g.Keeper = New(Config{
		Stores: Stores{
			State: state, Home: t.TempDir(), Blobs: blobs, Hosts: hosts, Repos: tree.NewIdentities("", "here", t.TempDir()),
			Work: recorded{tree.Config{Root: filepath.Join(state, "trees")}},
		},
		Runs: nobody{}, Sessions: nobody{}, Log: l,
		Claims: &claim.Service{Keeper: claim.New(claim.Config{
			Journal: j, Blobs: blobs, Host: "here", StateDir: state, Now: time.Now, Log: l,
			Alive: func(events.ClaimOwner) bool { return false }, Live: func(string) bool { return false },
		})},
		Words: Words{Text: func(events.Ref) string { return "" }},
	})
	g.check(os.MkdirAll(g.work, 0o755))
	g.in(g.work, "init", "-q")
	g.in(g.work, "config", "user.name", "u")
	g.in(g.work, "config", "user.email", "u@x")
	g.put(g.work, "a.txt", "a\n")
	g.put(g.work, ".gitignore", "/out/\n")
	g.in(g.work, "add", "-A")
	g.in(g.work, "commit", "-q", "-m", "x")
	return g
}

func (g *grove) check(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// in runs git in a work tree.
func (g *grove) in(dir string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// put writes a file below a work tree.
func (g *grove) put(dir, name, text string) {
	g.t.Helper()
	path := filepath.Join(dir, name)
	g.check(os.MkdirAll(filepath.Dir(path), 0o755))
	g.check(os.WriteFile(path, []byte(text), 0o644))
}

// plant makes a work tree of a run that nobody has used for long.
func (g *grove) plant(name string) string {
	g.t.Helper()
	dir := filepath.Join(g.base, name)
	g.in(g.work, "worktree", "add", "-q", "-b", "autopilot/"+name, dir)
	long := time.Now().Add(-keepFor - 48*time.Hour)
	for _, top := range []string{dir, g.gitDir(dir)} {
		g.check(filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, long, long))
		}))
	}
	return dir
}

func (g *grove) gitDir(dir string) string { return g.in(dir, "rev-parse", "--absolute-git-dir") }

// looks looks at the work trees.
func (g *grove) looks() *scene {
	g.t.Helper()
	now, err := g.see(g.t.Context(), auth.Request{}, g.work, keepFor)
	g.check(err)
	return now
}

// at is a work tree that was seen.
func (t *scene) at(dir string) tree.Linked {
	return t.list[slices.IndexFunc(t.list, func(l tree.Linked) bool { return l.Path == dir })]
}

// sleeper is a process that works in a directory.
func (g *grove) sleeper(dir string) {
	g.t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Dir = dir
	g.check(cmd.Start())
	g.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

// holds says whether a work tree stays for a reason.
func holds(v wire.TreeView, why wire.TreeHold) bool {
	return slices.ContainsFunc(v.Held, func(h wire.TreeHeld) bool { return h.Why == why })
}

func onDisk(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// S29, S34, seeds 2.8.4: verified again right before.
func TestAWorkTreeThatHasChangedMeanwhileGoesBackToItsPlace(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	for name, change := range map[string]func(dir string){
		"a file":    func(d string) { g.put(d, "a.txt", "other\n") },
		"a new one": func(d string) { g.put(d, "out/x", "x") },
		"a process": func(d string) { g.sleeper(d) },
		"a lock":    func(d string) { g.put(g.gitDir(d), "index.lock", "") },
		"a commit":  func(d string) { g.in(d, "commit", "-q", "--allow-empty", "-m", "x") },
		"a switch":  func(d string) { g.in(d, "checkout", "-q", "--detach") },
	} {
		dir := g.plant(strings.ReplaceAll(name, " ", "-"))
		now := g.looks()
		l := now.at(dir)
		v, sum := now.whole(t.Context(), l)
		if !v.Goes {
			t.Fatalf("%s: %+v", name, v)
		}
		change(dir)
		r := removal{Dir: dir, Folder: l.GitDir(), Fact: events.WorktreePruned{Project: l.ID, Salvage: "01JH4Z9QW3E8N5T7V2X0Y6A1B0"}}
		if err := now.takeAway(t.Context(), l, &r, sum); !errors.Is(err, tree.ErrStays) || !onDisk(filepath.Join(dir, "a.txt")) || onDisk(r.Aside) {
			t.Errorf("%s: %v", name, err)
		}
		now.close()
	}
	if left, _ := os.ReadDir(g.removals()); len(left) != 0 || len(g.cfg.Hosts.State().Trees) != 0 {
		t.Errorf("left %v, facts %+v", left, g.cfg.Hosts.State().Trees)
	}
}

// What another one has removed since it was found is no error, wherever that is seen.
func TestAWorkTreeThatIsGoneMeanwhileIsSaidToBe(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	dir, half := g.plant("one"), g.plant("half")
	now := g.looks()
	t.Cleanup(now.close)
	g.in(g.work, "worktree", "remove", "--force", dir)
	looks := map[string]func(tree.Linked) wire.TreeView{
		"shown":   func(l tree.Linked) wire.TreeView { v, _ := now.whole(t.Context(), l); return v },
		"removed": func(l tree.Linked) wire.TreeView { return now.remove(t.Context(), l) },
		"held": func(l tree.Linked) wire.TreeView {
			return now.heldBy(t.Context(), l, wire.TreeHeld{Why: wire.HoldOther})
		},
		"looked at": func(l tree.Linked) wire.TreeView {
			return notLooked(wire.TreeView{}, l, fs.ErrPermission, wire.HoldFailed)
		},
		"once again": func(l tree.Linked) wire.TreeView { return goneView(l.Again()) },
	}
	for name, look := range looks {
		if v := look(now.at(dir)); !v.Gone || v.Dir != dir || v.Goes || v.Removed || len(v.Held) > 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	g.check(os.RemoveAll(half)) // as git worktree remove does first
	if v, _ := now.whole(t.Context(), now.at(half)); v.Gone || v.Goes || !holds(v, wire.HoldMoved) {
		t.Errorf("while it is removed: %+v", v)
	}
	v, err := now.view(t.Context())
	g.check(err)
	if slices.ContainsFunc(v.Worktrees, func(w wire.TreeView) bool { return w.Dir == dir || w.Dir == "" }) {
		t.Errorf("it is listed: %+v", v.Worktrees)
	}
	if p := g.cfg.Hosts.State().Trees; len(p) > 0 {
		t.Errorf("it is said to have removed them: %+v", p)
	}
}

func TestWhatBringsAWorkTreeBackNamesItAsOneWord(t *testing.T) {
	t.Parallel()
	s := newGrove(t).looks()
	for dir, word := range map[string]string{
		"/tmp/fix-1":             "/tmp/fix-1",
		"/tmp/it's a fix":        `'/tmp/it'\''s a fix'`,
		"/tmp/fix\x01; rm -rf ~": "'/tmp/fix\x01; rm -rf ~'", // whoever makes a folder names it
	} {
		back := s.back(dir, "", events.WorktreePruned{Commit: "c0ffee"})
		if want := " --detach " + word + " c0ffee"; len(back) != 1 || !strings.HasSuffix(back[0], want) {
			t.Errorf("%q comes back by %q, want %q at the end", dir, back, want)
		}
	}
}
