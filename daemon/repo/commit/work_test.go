package commit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/repo/tree"
	"autopilot/projections/marker"
)

// bench is a repository with a branch of a run checked out.
type bench struct {
	*testing.T
	top  string
	repo *tree.Repo
}

const branch = "autopilot/search"

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, top: filepath.Join(t.TempDir(), "tree")}
	b.git("init", "-q", "-b", branch, b.top)
	b.write("code.go", "package x\n")
	b.git("-C", b.top, "add", "-A")
	b.git("-C", b.top, "commit", "-qm", "first")
	ws, err := tree.Find(t.Context(), b.top)
	b.must(err)
	b.repo, err = tree.Open(t.Context(), tree.Config{Root: t.TempDir()}, ws)
	b.must(err)
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) write(path, text string) {
	b.Helper()
	path = filepath.Join(b.top, path)
	b.must(os.MkdirAll(filepath.Dir(path), 0o755))
	b.must(os.WriteFile(path, []byte(text), 0o644))
}

func (b *bench) git(args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=u", "-c", "user.email=u@e"}, args...)...)
	cmd.Env = append(marker.WithoutRepository(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) in(args ...string) string {
	b.Helper()
	return b.git(append([]string{"-C", b.top}, args...)...)
}

// work is what the files are now, as the final work of a run that changed these.
func (b *bench) work(paths ...string) Work {
	b.Helper()
	rules, err := b.repo.FreezeIgnore(b.Context(), b.TempDir())
	b.must(err)
	snap, err := b.repo.Record(b.Context(), "test", rules, tree.Without{})
	b.must(err)
	all, err := b.repo.Entries(b.Context(), snap.Tree)
	b.must(err)
	return Work{
		Branch: branch, Start: b.in("rev-parse", "HEAD"), Message: "Search\n\nRun r has passed.\n", Mark: "Run r has passed.", Final: true,
		Hide: func(text string) string { return strings.ReplaceAll(text, "s3cret", "***") }, Judged: b.in("rev-parse", "HEAD"),
		Repo: b.repo, Tree: snap.Tree, Of: paths,
		Files: slices.DeleteFunc(all, func(e tree.Entry) bool { return !slices.Contains(paths, e.Path) }),
	}
}

func TestACommitHasTheWorkAndMovesItsBranchOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("new.go", "package new\n")
	b.write("other.go", "package other\n")
	b.must(os.Remove(filepath.Join(b.top, "code.go")))
	w, head := b.work("new.go", "code.go"), b.in("rev-parse", "HEAD")
	index, err := os.ReadFile(filepath.Join(b.top, ".git/index"))
	b.must(err)
	loose, err := w.Loose(t.Context(), head)
	b.must(err)
	if after, _ := os.ReadFile(filepath.Join(b.top, ".git/index")); string(after) != string(index) || b.in("rev-parse", "HEAD") != head {
		t.Error("a loose commit moved the branch or the index")
	}
	if got := b.in("show", "--format=%s %P", "--name-status", loose.Commit); got != "Search "+head+"\n\nD\tcode.go\nA\tnew.go" {
		t.Errorf("the loose commit is %s", got)
	}
	made, err := w.OnBranch(t.Context())
	b.must(err)
	if b.in("rev-parse", branch) != made.Commit || b.in("rev-parse", made.Commit+"^{tree}") != b.in("rev-parse", loose.Commit+"^{tree}") {
		t.Errorf("the branch has another commit than %+v", made)
	}
	if got := b.in("status", "--porcelain"); got != "?? other.go" {
		t.Errorf("left: %q", got)
	}
	if again, err := w.OnBranch(t.Context()); err != nil || again.Commit != made.Commit {
		t.Errorf("once more: %+v %v", again, err)
	}
	if top, err := w.OnTop(t.Context()); err != nil || top.Commit != made.Commit {
		t.Errorf("on top of it: %+v %v", top, err)
	}
	b.in("commit", "-q", "--allow-empty", "-m", "another")
	if _, err := w.OnBranch(t.Context()); err == nil || !strings.Contains(err.Error(), "somebody has committed") {
		t.Errorf("behind a commit of somebody: %v", err)
	}
}

// What git converts has another form in a commit than on the disk. It counts as committed
// only where the commit was made of what was recorded.
func TestWhatGitConvertsIsLeftUntilSomebodyCommitsIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		attributes, text string
		left             bool
	}{
		"a filter":                     {"* filter=x\n", "text\n", true},
		"lines of Windows":             {"* text=auto eol=crlf\n", "a\r\nb\r\n", true},
		"lines of Unix, where they go": {"* text=auto eol=lf\n", "a\nb\n", false},
		"ident":                        {"* ident\n", "$Id$\n", true},
		"another encoding":             {"f working-tree-encoding=UTF-16\n", "\xff\xfea\x00\n\x00", true},
		"none":                         {"", "a\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			trap := filepath.Join(t.TempDir(), "trap")
			b.write("sub/.gitattributes", tt.attributes)
			b.in("add", "-A")
			b.in("commit", "-qm", "attributes")
			b.in("config", "filter.x.clean", "touch "+trap+"; cat")
			b.write("sub/f", tt.text)
			head := b.in("rev-parse", "HEAD")
			m, err := b.work("sub/f").Loose(t.Context(), head)
			if err != nil || (len(m.Left) > 0) != tt.left || (m.Commit == head) != tt.left {
				t.Fatalf("not committed: %+v %v", m, err)
			}
			if _, err := os.Stat(trap); err == nil {
				t.Fatal("a filter was run")
			}
			b.in("config", "--unset", "filter.x.clean")
			b.in("add", "-A")
			b.in("commit", "-qm", "by its agent")
			head = b.in("rev-parse", "HEAD")
			if m, err := b.work("sub/f").Loose(t.Context(), head); err != nil || len(m.Left) > 0 || m.Commit != head {
				t.Errorf("committed: %+v %v", m, err)
			}
			w := b.work("sub/f")
			b.write("sub/f", tt.text+tt.text)
			if m, err := w.Loose(t.Context(), head); err != nil || (len(m.Left) > 0) != tt.left {
				t.Errorf("changed since: %+v %v", m, err)
			}
		})
	}
}

func TestWhatIsNoWorkOfTheBranchIsNotCommitted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does func(b *bench, w *Work)
		says string
	}{
		"a secret":            {func(b *bench, w *Work) { b.write("new.go", "s3cret\n"); *w = b.work("new.go") }, "new.go has a secret in it"},
		"no branch":           {func(_ *bench, w *Work) { w.Branch = "" }, "no work tree of its own"},
		"another branch":      {func(b *bench, _ *Work) { b.in("switch", "-q", "-c", "mine") }, "is not checked out any more"},
		"a history made anew": {func(_ *bench, w *Work) { w.Start = strings.Repeat("1", 40) }, ""},
		"a held index":        {func(b *bench, _ *Work) { b.write(".git/index.lock", "") }, "index.lock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write("new.go", "package new\n")
			w := b.work("new.go")
			tt.does(b, &w)
			head := b.in("rev-parse", "HEAD")
			if _, err := w.OnBranch(t.Context()); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("made: %v", err)
			}
			if b.in("rev-parse", "HEAD") != head {
				t.Error("the branch has moved")
			}
		})
	}
}
