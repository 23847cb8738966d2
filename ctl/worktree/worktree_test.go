package worktree_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/ctl/worktree"
	"autopilot/events/wire"
)

// site is a directory with the repository p, which has one commit on main.
type site struct {
	*testing.T
	dir, top string
	environ  []string
}

func newSite(t *testing.T) site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := site{T: t, dir: dir, top: filepath.Join(dir, "p")}
	s.environ = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	s.git(dir, "init", "-q", "-b", "main", "p")
	s.write("p/a.txt", "a\n")
	s.git(s.top, "add", ".")
	s.git(s.top, "commit", "-qm", "first")
	return s
}

func (s site) git(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s site) path(name string) string { return filepath.Join(s.dir, name) }

func (s site) write(name, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s site) link(to, name string) {
	s.Helper()
	if err := os.Symlink(to, s.path(name)); err != nil {
		s.Fatal(err)
	}
}

func (s site) ask(change ...func(*worktree.Ask)) worktree.Ask {
	q := worktree.Ask{Dir: s.top, Name: "fix", Base: wire.WorktreeHead}
	for _, c := range change {
		c(&q)
	}
	return q
}

func (s site) plan(q worktree.Ask) worktree.Plan {
	s.Helper()
	p, err := worktree.Prepare(context.Background(), s.environ, q)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s site) make(q worktree.Ask) worktree.Plan {
	s.Helper()
	p := s.plan(q)
	if _, _, err := worktree.Make(context.Background(), s.environ, p); err != nil {
		s.Fatal(err)
	}
	return p
}

func (s site) exists(name string) bool {
	_, err := os.Lstat(s.path(name))
	return err == nil
}

func branch(name string) func(*worktree.Ask) { return func(q *worktree.Ask) { q.Branch = name } }
func again(q *worktree.Ask)                  { q.Again = true }

// S39; seeds 2.7 promotion.
func TestABranchThatIsTypedHasOnlyLettersDigitsDotsLinesAndSlashes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, want := range map[string]string{
		"fix/parser_2.1-b":       "",
		"Fix":                    "",
		"-D":                     "it begins with -",
		"--force":                "it begins with -",
		"a b":                    "it holds white space",
		"a;rm -rf x":             "it holds ;",
		"$(id)":                  "it holds $",
		"a\nb":                   "it holds white space",
		"größe":                  "it holds ö",
		"a..b":                   "git takes no such name",
		"../../x":                "git takes no such name",
		".a":                     "git takes no such name",
		"/a":                     "git takes no such name",
		"a//b":                   "git takes no such name",
		"a.lock":                 "git takes no such name",
		"HEAD":                   "git takes no such name",
		"refs/heads/fix":         "",
		"refs/heads/":            "it is empty",
		"refs/tags/v1":           "it is a ref of another kind",
		"refs/remotes/origin/a":  "it is a ref of another kind",
		"refs/heads/refs/x":      "it is a ref of another kind",
		"a@{1}":                  "it holds @",
		strings.Repeat("x", 300): "it is too long",
	} {
		_, err := worktree.Prepare(context.Background(), s.environ, s.ask(branch(name)))
		var bad *worktree.NameError
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", name, err)
		case want != "" && (!errors.As(err, &bad) || !strings.HasPrefix(bad.Why, want)):
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// As git names it, so is it named by programs and in what people copy.
func TestABranchThatIsTypedByItsRefIsThatBranch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.make(s.ask(branch("refs/heads/fix/a")))
	if first.Branch != "fix/a" || first.Dir != s.path("p-fix-a") || s.git(first.Dir, "symbolic-ref", "HEAD") != "refs/heads/fix/a" {
		t.Errorf("made: %+v", first)
	}
	if again := s.plan(s.ask(branch("refs/heads/fix/a"))); again.Kind != worktree.OldTree || again.Dir != first.Dir {
		t.Errorf("again: %+v", again)
	}
	var bad *worktree.NameError
	_, err := worktree.Prepare(context.Background(), s.environ, s.ask(branch("refs/remotes/origin/fix/b")))
	if !errors.As(err, &bad) || bad.Use != "fix/b" {
		t.Errorf("of a remote: %v, %+v", err, bad)
	}
}

// seeds 2.7 reuse and promotion.
func TestABranchThatIsThereIsUsedAgainUnlessAnotherWorkTreeHasIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.top, "branch", "old")
	p := s.make(s.ask(branch("old")))
	if p.Kind != worktree.OldBranch || s.git(s.path("p-old"), "branch", "--show-current") != "old" {
		t.Errorf("a branch that is there: %+v", p)
	}
	s.write("p-old/new.txt", "x")
	if p = s.make(s.ask(branch("old"))); p.Kind != worktree.OldTree || p.Dir != s.path("p-old") || p.Dirty != 1 {
		t.Errorf("a work tree that is there: %+v", p)
	}
	if err := worktree.Drop(context.Background(), s.environ, p); err != nil || !s.exists("p-old/new.txt") {
		t.Errorf("what was there is taken away: %v", err)
	}
	s.git(s.top, "worktree", "add", "-q", "-b", "far", s.path("elsewhere"))
	s.write("p-full/x", "x")
	s.git(s.top, "worktree", "add", "-q", "-b", "gone", s.path("gone"))
	if err := os.RemoveAll(s.path("gone")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"main": "branch main is checked out in " + s.top,
		"far":  "branch far is checked out in " + s.path("elsewhere"),
		"full": s.path("p-full") + " is there already, and is no work tree of branch full",
		"gone": "branch gone is checked out in " + s.path("gone"),
	} {
		_, err := worktree.Prepare(context.Background(), s.environ, s.ask(branch(name)))
		var taken *worktree.TakenError
		if err == nil || err.Error() != want || errors.As(err, &taken) && taken.Gone != (name == "gone") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p = s.plan(s.ask(branch("old"), func(q *worktree.Ask) { q.Dir = s.path("p-old") })); p.Kind != worktree.OldTree || p.Dir != p.From {
		t.Errorf("in the work tree itself: %+v", p)
	}
}

// A directory that only pretends to be a work tree of the repository is none.
func TestADirectoryThatWasPutInPlaceOfAWorkTreeIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.make(s.ask(branch("x")))
	if err := os.RemoveAll(s.path("p-x")); err != nil {
		t.Fatal(err)
	}
	s.git(s.dir, "init", "-q", "-b", "x", "p-x")
	var taken *worktree.TakenError
	if _, err := worktree.Prepare(context.Background(), s.environ, s.ask(branch("x"))); !errors.As(err, &taken) {
		t.Errorf("another repository in its place: %v", err)
	}
}

func TestANameThatIsTakenGetsANumberAndTheSameOneAgainIsTheSameWorkTree(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.top, "branch", "autopilot/fix/below")
	first, second := s.make(s.ask()), s.make(s.ask())
	if first.Branch != "autopilot/fix-2" || second.Dir != s.path("p-fix-3") {
		t.Errorf("%s, %s", first.Branch, second.Dir)
	}
	if p := s.make(s.ask(again)); p.Kind != worktree.OldTree || p.Dir != first.Dir {
		t.Errorf("again: %+v", p)
	}
	s.write("p-new/x", "x")
	name := func(q *worktree.Ask) { q.Name = "new" }
	made := s.make(s.ask(again, name))
	if made.Branch != "autopilot/new-2" || s.plan(s.ask(again, name)).Dir != made.Dir {
		t.Errorf("again, the directory is another's: %+v", made)
	}
	if p := s.plan(s.ask(again, name, func(q *worktree.Ask) { q.Dir = made.Dir })); p.Dir != made.Dir {
		t.Errorf("again, from within: %+v", p)
	}
}

// seeds 2.7 create: origin/main, or else HEAD.
func TestABranchBeginsFromHeadOrFromWhatWasLastFetched(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	origin := func(q *worktree.Ask) { q.Base = wire.WorktreeOrigin }
	strict := func(q *worktree.Ask) { q.Base, q.Strict = wire.WorktreeOrigin, true }
	first := s.git(s.top, "rev-parse", "HEAD")
	if p := s.plan(s.ask(origin)); !p.NoOrigin || p.Base != "main" || p.Commit != first {
		t.Errorf("no remote: %+v", p)
	}
	if _, err := worktree.Prepare(context.Background(), s.environ, s.ask(strict)); !errors.Is(err, worktree.ErrNoRemote) {
		t.Errorf("no remote, and typed: %v", err)
	}
	s.git(s.dir, "clone", "-q", s.top, "c")
	s.write("c/b.txt", "b")
	s.git(s.path("c"), "add", ".")
	s.git(s.path("c"), "commit", "-qm", "second")
	s.write("c/not-yet.txt", "b")
	s.git(s.top, "commit", "-q", "--allow-empty", "-m", "not fetched")
	for what, c := range map[string]struct {
		q    worktree.Ask
		want worktree.Plan
	}{
		"origin": {s.ask(strict), worktree.Plan{Base: "origin/main", Commit: first, Missing: 1, Uncommitted: 1}},
		"head":   {s.ask(), worktree.Plan{Base: "main", Commit: s.git(s.path("c"), "rev-parse", "HEAD"), Unpushed: 1, Uncommitted: 1}},
	} {
		c.q.Dir = s.path("c")
		p := s.plan(c.q)
		p = worktree.Plan{Base: p.Base, Commit: p.Commit, Unpushed: p.Unpushed, Missing: p.Missing, Uncommitted: p.Uncommitted}
		if d := cmp.Diff(c.want, p); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	s.git(s.path("c"), "checkout", "-q", "--detach")
	q := s.ask()
	q.Dir = s.path("c")
	if p := s.plan(q); p.Base != "" || p.Head != "" || p.Unpushed != 1 {
		t.Errorf("detached: %+v", p)
	}
	s.git(s.path("c"), "remote", "rename", "origin", "up")
	s.git(s.path("c"), "symbolic-ref", "--delete", "refs/remotes/up/HEAD")
	strict(&q)
	if p := s.plan(q); p.Base != "up/main" {
		t.Errorf("one remote of another name, without a HEAD: %+v", p)
	}
	s.git(s.path("c"), "update-ref", "refs/remotes/up/master", "HEAD")
	if _, err := worktree.Prepare(context.Background(), s.environ, q); !errors.Is(err, worktree.ErrNoRemote) {
		t.Errorf("main and master: %v", err)
	}
}

func TestARepositoryWithoutACommitHasNothingToBeginFrom(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.dir, "init", "-q", "empty")
	q := s.ask()
	q.Dir = s.path("empty")
	if _, err := worktree.Prepare(context.Background(), s.environ, q); !errors.Is(err, worktree.ErrNoCommit) {
		t.Error(err)
	}
	q.Dir = s.dir
	if _, err := worktree.Prepare(context.Background(), s.environ, q); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Error(err)
	}
}

// S54: such variables outrank the directory.
func TestVariablesThatPointGitToAnotherRepositoryCountForNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.dir, "init", "-q", "-b", "other", "o")
	s.environ = append(s.environ,
		"GIT_DIR="+s.path("o/.git"), "GIT_WORK_TREE="+s.path("o"), "GIT_INDEX_FILE="+s.path("o/index"), "GIT_COMMON_DIR="+s.path("o/.git"))
	if p := s.plan(s.ask()); p.From != s.top || p.Base != "main" {
		t.Errorf("%+v", p)
	}
}

func TestASubmoduleIsSaidToBeMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.dir, "init", "-q", "-b", "main", "sub")
	s.git(s.path("sub"), "commit", "-q", "--allow-empty", "-m", "sub")
	s.git(s.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("sub"), "lib/sub")
	s.git(s.top, "commit", "-qm", "with a submodule")
	s.write("p/lib/sub/.env", "x")
	p := s.make(s.ask(func(q *worktree.Ask) { q.Seed = []string{"lib/sub/.env"} }))
	if p.Submodules != 1 || !s.exists("p-fix/.gitmodules") {
		t.Errorf("%+v", p)
	}
	if err := worktree.Drop(context.Background(), s.environ, p); err != nil || s.exists("p-fix") {
		t.Error(err)
	}
	q := s.ask()
	q.Dir = s.path("p/lib/sub")
	if p := s.plan(q); p.From != q.Dir || p.Dir != s.path("p/lib/sub-fix") {
		t.Errorf("of a submodule itself: %+v", p)
	}
}

func TestAWorkTreeThatCannotBeMadeLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.git(s.top, "branch", "old")
	s.git(s.top, "config", "filter.broken.smudge", "false")
	s.git(s.top, "config", "filter.broken.clean", "cat")
	s.git(s.top, "config", "filter.broken.required", "true")
	s.write("p/.git/info/attributes", "a.txt filter=broken\n")
	for _, q := range []worktree.Ask{s.ask(), s.ask(branch("old"))} {
		p := s.plan(q)
		if _, _, err := worktree.Make(context.Background(), s.environ, p); err == nil || s.exists(filepath.Base(p.Dir)) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	got := strings.Fields(s.git(s.top, "for-each-ref", "--format=%(refname:short)"))
	if !slices.Equal(got, []string{"main", "old"}) {
		t.Error(got)
	}
}
