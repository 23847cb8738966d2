package worktree_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"autopilot/ctl/worktree"
	"autopilot/events/wire"
)

// seeds 2.7 path and promotion.
func TestAWorkTreeIsBesideTheRepositoryOrBelowTheRootOfTheUser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.link(s.path("real"), "root-link")
	if err := os.Mkdir(s.path("real"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ root, branch, want string }{
		{"", "", "p-fix"},
		{"", "x/y", "p-x-y"},
		{s.path("new/root"), "", "new/root/p/fix"},
		{s.path("root-link"), "x/y", "real/p/x-y"},
	} {
		p := s.plan(s.ask(branch(c.branch), func(q *worktree.Ask) { q.Root = c.root }))
		if p.Dir != s.path(c.want) {
			t.Errorf("root %q: %s, want %s", c.root, p.Dir, c.want)
		}
	}
	if s.exists("new") {
		t.Error("a plan made something")
	}
	p := s.make(s.ask(func(q *worktree.Ask) { q.Root = s.path("new/root") }))
	if !s.exists("new/root/p/fix/a.txt") {
		t.Error("it is not there")
	}
	inside := s.plan(s.ask(func(q *worktree.Ask) { q.Dir, q.Name = p.Dir, "other" }))
	if inside.Dir != s.path("p-other") || inside.From != p.Dir {
		t.Errorf("from a work tree: %s", inside.Dir)
	}
}

// S34: root and then target are resolved, before anything is written.
func TestAPlaceThatALinkLeadsOutOfIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, dir := range []string{"root", "out", "beside/p-x"} {
		if err := os.MkdirAll(s.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.link(s.path("out"), "root/p")
	var escape *worktree.EscapeError
	_, err := worktree.Prepare(context.Background(), s.environ, s.ask(func(q *worktree.Ask) { q.Root = s.path("root") }))
	if !errors.As(err, &escape) || escape.Real != s.path("out/fix") {
		t.Errorf("a link in a parent: %v", err)
	}
	s.link(s.dir, "root2")
	s.link("/nowhere/at/all", "p-gone")
	var root *worktree.RootError
	_, err = worktree.Prepare(context.Background(), s.environ, s.ask(branch("gone")))
	if !errors.As(err, &root) {
		t.Errorf("a link to nowhere: %v", err)
	}
	s.link(s.path("out"), "p-x")
	if _, err = worktree.Prepare(context.Background(), s.environ, s.ask(branch("x"))); err != nil {
		t.Errorf("a link that stays below the root is none that leads out: %v", err)
	}
	s.link("/", "p-up")
	if _, err = worktree.Prepare(context.Background(), s.environ, s.ask(branch("up"))); !errors.As(err, &escape) {
		t.Errorf("the root itself, or above it: %v", err)
	}
	if _, err = worktree.Prepare(context.Background(), s.environ, s.ask(func(q *worktree.Ask) { q.Root = "rel/ative" })); !errors.As(err, &root) {
		t.Errorf("a root that is relative: %v", err)
	}
	if list, _ := os.ReadDir(s.path("out")); len(list) != 0 || s.git(s.top, "branch", "--format=%(refname:short)") != "main" {
		t.Error("something was written")
	}
}

// Where a file is in the place of a directory no number makes a name free, and
// git lists paths by line.
func TestARootThatIsNoDirectoryOrHasALineBreakIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("file", "")
	s.write("taken/p", "")
	for name, root := range map[string]string{
		"a file": "file", "below a file": "file/trees", "a file in the place of the repository's": "taken", "a line break": "a\nb", "a return": "a\rb",
	} {
		for _, q := range []worktree.Ask{s.ask(), s.ask(branch("x"))} {
			q.Root = s.path(root)
			var fault *worktree.RootError
			if _, err := worktree.Prepare(context.Background(), s.environ, q); !errors.As(err, &fault) {
				t.Errorf("%s, branch %q: %v", name, q.Branch, err)
			}
		}
	}
	if s.exists("a\nb") || s.git(s.top, "branch", "--format=%(refname:short)") != "main" {
		t.Error("something was written")
	}
}

// What is in the directory of a repository is git's: it would take the work trees for
// its own files, or remove them with what it is done with.
func TestARootWhereGitKeepsARepositoryIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tree := s.make(s.ask(branch("there")))
	s.git(s.top, "init", "-q", "--bare", s.path("bare.git"))
	s.link(s.path("p/.git"), "leads")
	for name, root := range map[string]string{
		"its own": "p/.git", "below its own": "p/.git/trees/new", "a bare one": "bare.git", "below a bare one": "bare.git/trees",
		"of a work tree": "p/.git/worktrees/" + "p-there", "by a link": "leads/trees",
	} {
		for _, q := range []worktree.Ask{s.ask(), s.ask(branch("x"))} {
			q.Root = s.path(root)
			var fault *worktree.RootError
			if _, err := worktree.Prepare(context.Background(), s.environ, q); !errors.As(err, &fault) || !errors.Is(err, worktree.ErrInRepository) {
				t.Errorf("%s, branch %q: %v", name, q.Branch, err)
			}
		}
	}
	for name, root := range map[string]string{"beside it": "trees", "a file HEAD alone": "head/trees", "in a work tree": "p-there/trees"} {
		s.write("head/HEAD", "")
		q := s.ask()
		q.Root = s.path(root)
		if _, err := worktree.Prepare(context.Background(), s.environ, q); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.exists("p/.git/trees") || !s.exists("p/.git/worktrees/p-there/HEAD") || tree.Dir != s.path("p-there") {
		t.Error("something was written, or the test looks at nothing")
	}
}

// S34: a link that is swapped in between check and use.
func TestALinkThatIsPutThereBetweenCheckAndUseIsFoundAndAllUndone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root := func(q *worktree.Ask) { q.Root = s.path("root") }
	if err := os.MkdirAll(s.path("out"), 0o755); err != nil {
		t.Fatal(err)
	}
	planned := s.plan(s.ask(root))
	if err := os.MkdirAll(s.path("root"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.link(s.path("out"), "root/p")
	if _, _, err := worktree.Make(context.Background(), s.environ, planned); err == nil {
		t.Error("a link that was put there after the plan is followed")
	}
	if err := os.Remove(s.path("root/p")); err != nil {
		t.Fatal(err)
	}
	// The git of this PATH puts the link there at the last moment.
	s.write("bin/git", `#!/bin/sh
case "$*" in *"worktree add"*) mv "`+s.path("root/p")+`" "`+s.path("root/was")+`" && ln -s "`+s.path("out")+`" "`+s.path("root/p")+`" ;; esac
exec "$REAL" "$@"
`)
	if err := os.Chmod(s.path("bin/git"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMain$")
	cmd.Env = append(s.environ, "REAL="+real, "PATH="+s.path("bin")+":"+os.Getenv("PATH"), "SWAP_FROM="+s.top, "SWAP_ROOT="+s.path("root"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "escape to "+s.path("out/fix")) {
		t.Errorf("%v: %s", err, out)
	}
	if list, _ := os.ReadDir(s.path("out")); len(list) != 0 {
		t.Errorf("outside of the root something stays: %v", list)
	}
	if got := s.git(s.top, "branch", "--format=%(refname:short)"); got != "main" {
		t.Errorf("branches stay: %s", got)
	}
}

// TestMain makes a work tree with the git of its own PATH where that is asked for.
func TestMain(m *testing.M) {
	from := os.Getenv("SWAP_FROM")
	if from == "" {
		os.Exit(m.Run())
	}
	q := worktree.Ask{Dir: from, Name: "fix", Base: wire.WorktreeHead, Root: os.Getenv("SWAP_ROOT")}
	p, err := worktree.Prepare(context.Background(), os.Environ(), q)
	if err == nil {
		_, _, err = worktree.Make(context.Background(), os.Environ(), p)
	}
	var escape *worktree.EscapeError
	if errors.As(err, &escape) {
		_, _ = os.Stdout.WriteString("escape to " + escape.Real + "\n")
		return
	}
	_, _ = os.Stdout.WriteString("made, or another error\n")
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
	}
}
