package worktree_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/ctl/worktree"
)

// A53: a work tree that lacks ignored settings is of no use.
func TestIgnoredFilesThatAreWantedAreCopiedWithTheirModesAndThroughNoLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("p/.gitignore", ".env*\n.claude/\nlocal/\nbig\nsub/key\nnode_modules/\n")
	s.git(s.top, "add", ".")
	s.git(s.top, "commit", "-qm", "rules")
	s.write("p/.env", "SECRET=1")
	s.write("p/.claude/settings.local.json", "{}")
	s.write("p/local/run.sh", "#!/bin/sh")
	s.write("p/local/deep/a", "a")
	s.write("p/sub/key", "k")
	s.write("p/sub/plain", "not ignored")
	s.write("p/node_modules/x/.env", "not at the top")
	s.write("outside/secret", "theirs")
	s.write("p/big", "")
	if err := errors.Join(os.Chmod(s.path("p/local/run.sh"), 0o751), os.Truncate(s.path("p/big"), 11<<20)); err != nil {
		t.Fatal(err)
	}
	s.link(s.path("outside/secret"), "p/.env.out")
	s.link(".env", "p/.env.in")
	q := s.ask(func(q *worktree.Ask) {
		q.Seed = []string{".env", ".env.*", ".claude/settings.local.json", "local", "sub/*", "big", "none", ".env"}
	})
	p := s.plan(q)
	copied, left, err := worktree.Make(context.Background(), s.environ, p)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".claude/settings.local.json", ".env", ".env.in", "local/deep/a", "local/run.sh", "sub/key"}
	if d := cmp.Diff(want, copied); d != "" || len(left) != 0 {
		t.Error(d, left)
	}
	if d := cmp.Diff([]worktree.Left{
		{Path: ".env.out", Why: "it is a link that leads out of the work tree, or nowhere"}, {Path: "big", Why: "it is larger than 10 MiB"},
	}, p.Left); d != "" {
		t.Error(d)
	}
	for name, mode := range map[string]os.FileMode{".env": 0o600, "local/run.sh": 0o751, ".env.in": 0o600} {
		if st, err := os.Lstat(s.path("p-fix/" + name)); err != nil || st.Mode() != mode {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
	if s.exists("p-fix/sub/plain") || s.exists("p-fix/.env.out") {
		t.Error("more was copied")
	}
	if got := s.git(s.path("p-fix"), "status", "--porcelain"); got != "" {
		t.Errorf("it is seen by git: %s", got)
	}
}

func TestWhatTheOtherCommitDoesNotIgnoreOrHasIsNotCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("p/.env.local", "tracked")
	s.git(s.top, "add", "-f", ".env.local")
	s.link("../out", "p/conf")
	s.git(s.top, "add", "conf")
	s.git(s.top, "commit", "-qm", "others")
	s.git(s.top, "branch", "old")
	s.git(s.top, "rm", "-q", "--cached", "conf", ".env.local")
	if err := os.Remove(s.path("p/conf")); err != nil {
		t.Fatal(err)
	}
	s.write("p/.gitignore", ".env*\nconf/\n")
	s.git(s.top, "add", ".gitignore")
	s.git(s.top, "commit", "-qm", "now ignored")
	s.write("p/.env", "SECRET=1")
	s.write("p/conf/key", "k")
	if err := os.Mkdir(s.path("out"), 0o755); err != nil {
		t.Fatal(err)
	}
	seed := []string{".env", ".env.local", "conf/key"}
	p := s.plan(s.ask(branch("old"), func(q *worktree.Ask) { q.Seed = seed }))
	copied, left, err := worktree.Make(context.Background(), s.environ, p)
	if err != nil || len(copied) != 0 || len(left) != 3 {
		t.Errorf("%v %v %v", copied, left, err)
	}
	if list, _ := os.ReadDir(s.path("out")); len(list) != 0 || s.exists("p-old/.env") {
		t.Error("something was written")
	}
	for _, bad := range []string{"/etc/passwd", "../x", "a/../../x", "[", ""} {
		var glob *worktree.GlobError
		if _, err := worktree.Prepare(context.Background(), s.environ, s.ask(func(q *worktree.Ask) { q.Seed = []string{bad} })); !errors.As(err, &glob) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
