package tree_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
)

// gitSpace is a repository with two commits on main, one on dev, and a remote that is
// a directory beside it.
func gitSpace(t *testing.T) *space {
	t.Helper()
	s := newSpace(t, map[string]string{"a.txt": "1\n"})
	far := filepath.Join(filepath.Dir(s.top), "far.git")
	s.git("init", "-q", "--bare", "-b", "main", far)
	s.commit("one")
	s.write("a.txt", "2\n")
	s.commit("two")
	s.git("branch", "dev")
	s.git("remote", "add", "origin", far)
	s.git("push", "-q", "-u", "origin", "main")
	return s
}

func (s *space) state() rule.GitState {
	s.t.Helper()
	g, err := s.repo.GitState(s.t.Context())
	s.must(err)
	return rule.ParseGitState(g.Text())
}

func TestWhatBecameOfGitIsSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*space)
		want []string
	}{
		"nothing":        {func(*space) {}, nil},
		"files alone":    {func(s *space) { s.write("a.txt", "3\n"); s.git("add", "-A") }, nil},
		"commits":        {func(s *space) { s.commit("x"); s.commit("y") }, []string{"commits main 2"}},
		"another branch": {func(s *space) { s.git("switch", "-qc", "fix"); s.commit("x") }, []string{"switched HEAD main>fix", "commits fix 1"}},
		"a tag":          {func(s *space) { s.git("tag", "v1") }, []string{"tag-added v1"}},
		"detached":       {func(s *space) { s.git("switch", "-q", "--detach"); s.commit("x") }, []string{"commits-loose HEAD 1", "switched HEAD main>"}},
		"amended":        {func(s *space) { s.git("commit", "-q", "--amend", "-m", "z") }, []string{"branch-rewound main 1", "commits main 1"}},
		"reset":          {func(s *space) { s.git("reset", "-q", "--hard", "HEAD~1") }, []string{"branch-rewound main 1"}},
		"lost": {func(s *space) {
			s.git("branch", "-qD", "dev")
			s.git("update-ref", "-d", "refs/remotes/origin/main")
			s.git("reset", "-q", "--hard", "HEAD~1")
		}, []string{"commits-lost dev 1", "commits-lost main 1", "branch-moved main", "branch-removed dev", "remote-moved origin/main"}},
		"pushed":           {func(s *space) { s.commit("x"); s.git("push", "-q") }, []string{"commits main 1", "pushed origin/main"}},
		"pushed elsewhere": {func(s *space) { s.git("push", "-q", s.far(), "main:other") }, []string{"remote-moved origin refs/heads/other"}},
		"pushed by path":   {func(s *space) { s.commit("x"); s.git("push", "-q", s.far(), "HEAD:other") }, []string{"commits main 1", "pushed origin refs/heads/other"}},
		"a pushed tag":     {func(s *space) { s.commit("x"); s.git("tag", "v1"); s.git("push", "-q", "origin", "v1") }, []string{"commits main 1", "tag-added v1", "pushed origin refs/tags/v1"}},
		"pulled": {func(s *space) {
			other := filepath.Join(filepath.Dir(s.top), "other")
			s.git("clone", "-q", s.far(), other)
			s.git("-C", other, "-c", "user.name=o", "-c", "user.email=o@example.com", "commit", "-q", "--allow-empty", "-m", "theirs")
			s.git("-C", other, "push", "-q", "origin", "HEAD:main", "HEAD:theirs")
			s.git("pull", "-q")
		}, []string{"commits main 1", "remote-moved origin refs/heads/main", "remote-moved origin refs/heads/theirs", "remote-moved origin/main", "remote-moved origin/theirs"}},
		"stash":            {func(s *space) { s.write("a.txt", "9"); s.git("stash", "-q") }, []string{"stash-added WIP"}},
		"a remote":         {func(s *space) { s.git("remote", "add", "up", "https://me:secret@example.com/x/y.git") }, []string{"remote-added up >example.com/x/y"}},
		"remote elsewhere": {func(s *space) { s.git("remote", "set-url", "origin", "git@example.com:x/y") }, []string{"remote-moved origin refs/heads/main", "remote-changed origin >example.com/x/y"}},
		"a hook":           {func(s *space) { s.must(os.WriteFile(s.path(".git/hooks/pre-commit"), []byte("#!/bin/sh\n"), 0o755)) }, []string{"hook-added pre-commit"}},
		"configuration":    {func(s *space) { s.git("config", "core.fsmonitor", "./x") }, []string{"config core.fsmonitor"}},
		"hidden files": {func(s *space) {
			s.git("update-index", "--skip-worktree", "a.txt")
			s.write("n", "")
			s.git("add", "-N", "n")
		}, []string{"index intent-to-add 1", "index skip-worktree 1"}},
		"a lock":      {func(s *space) { s.write(".git/index.lock", "") }, []string{"index locked 1"}},
		"a work tree": {func(s *space) { s.git("worktree", "add", "-q", "-b", "w", filepath.Join(filepath.Dir(s.top), "w")) }, []string{"branch-added w", "worktree-added w"}},
		"a merge":     {func(s *space) { s.conflict("merge") }, []string{"operation merge", "commits main 1", "commits side 1"}},
		"a rebase":    {func(s *space) { s.conflict("rebase") }, []string{"operation rebase", "switched HEAD main>", "commits main 1", "commits side 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			start := s.state()
			c.do(s)
			now := s.state()
			if err := s.repo.GitMoved(t.Context(), start, now); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, changes(start, rule.ParseGitState(now.Text()))); d != "" {
				t.Errorf("-want +got:\n%s\n%s", d, now.Text())
			}
			s.keepsEveryCommit(start, now)
			if strings.Contains(now.Text(), "secret") {
				t.Error("a password is in the text")
			}
		})
	}
}

// TestWhatIsPushedByAddressIsSeenWhereTheAddressIsARemote pushes without the name of a
// remote, so that no reflog here tells of it. A directory that no remote names is not known.
func TestWhatIsPushedByAddressIsSeenWhereTheAddressIsARemote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address func(s *space, push string) string
		want    []string
	}{
		"a path":              {func(s *space, _ string) string { return s.far() }, []string{"commits main 1", "pushed origin refs/heads/new"}},
		"a URL":               {func(s *space, _ string) string { return "file://" + s.far() }, []string{"commits main 1", "pushed origin refs/heads/new"}},
		"a path from here":    {func(*space, string) string { return "../far.git" }, []string{"commits main 1", "pushed origin refs/heads/new"}},
		"the place to push":   {func(_ *space, push string) string { return push }, []string{"commits main 1", "pushed two refs/heads/new"}},
		"the remote with two": {func(*space, string) string { return "two" }, []string{"commits main 1", "pushed two/new"}},
		"another directory":   {func(s *space, _ string) string { return filepath.Join(filepath.Dir(s.top), "else.git") }, []string{"commits main 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			push := filepath.Join(filepath.Dir(s.top), "push.git")
			for _, dir := range []string{push, filepath.Join(filepath.Dir(s.top), "else.git")} {
				s.git("init", "-q", "--bare", "-b", "main", dir)
			}
			s.git("remote", "add", "two", "https://example.com/x/y")
			s.git("remote", "set-url", "--push", "two", push)
			start := s.state()
			s.commit("x")
			s.git("push", "-q", c.address(s, push), "HEAD:new")
			now := s.state()
			if err := s.repo.GitMoved(t.Context(), start, now); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, changes(start, rule.ParseGitState(now.Text()))); d != "" {
				t.Errorf("-want +got:\n%s\n%s", d, now.Text())
			}
		})
	}
}

// keepsEveryCommit runs the commands that are printed for a state, and looks whether a
// ref holds each commit that the start or the state had.
func (s *space) keepsEveryCommit(start, now rule.GitState) {
	s.t.Helper()
	shell := exec.Command("sh", "-e")
	shell.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat"}
	script := ""
	for _, n := range explain.Git(events.English, s.top, start, now).Next {
		script += n.Command + "\n"
	}
	shell.Stdin = strings.NewReader(script)
	if out, err := shell.CombinedOutput(); err != nil {
		s.t.Fatalf("%s\n%s%v", script, out, err)
	}
	held := strings.Fields(s.git("rev-list", "--all"))
	for _, g := range []rule.GitState{start, now} {
		for _, id := range append(slices.Collect(maps.Values(g.Refs("refs/"))), g.Commit()) {
			if !slices.Contains(held, id) {
				s.t.Errorf("no ref holds %s after\n%s", id, script)
			}
		}
	}
}

func (s *space) far() string { return filepath.Join(filepath.Dir(s.top), "far.git") }

// conflict leaves an operation in progress.
func (s *space) conflict(verb string) {
	s.git("switch", "-qc", "side")
	s.write("a.txt", "side\n")
	s.commit("side")
	s.git("switch", "-q", "main")
	s.write("a.txt", "main\n")
	s.commit("main")
	s.git("-c", "alias.try=!git "+verb+" side || true", "try")
}

func changes(start, now rule.GitState) (out []string) {
	for _, c := range rule.GitChanges(start, now) {
		line := string(c.Kind) + " " + c.Name
		switch {
		case c.Kind == rule.GitNewStash:
			line = string(c.Kind) + " WIP"
		case c.Count > 0:
			line += " " + string(rune('0'+c.Count))
		case c.Kind == rule.GitSwitched, strings.HasPrefix(string(c.Kind), "remote-") && c.Kind != rule.GitMovedRemote:
			line += " " + c.From + ">" + c.To
		}
		out = append(out, line)
	}
	return out
}

func TestADamagedRepositoryIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*space)
		want string
	}{
		"removed":       {func(s *space) { s.must(os.RemoveAll(s.path(".git"))) }, ".git was removed"},
		"without HEAD":  {func(s *space) { s.must(os.Remove(s.path(".git/HEAD"))) }, "no repository any more"},
		"a blank HEAD":  {func(s *space) { s.write(".git/HEAD", "") }, "HEAD cannot be read"},
		"a file":        {func(s *space) { s.must(os.RemoveAll(s.path(".git"))); s.write(".git", "gitdir: ../nowhere\n") }, "names a repository"},
		"configuration": {func(s *space) { s.write(".git/config", "[core\n") }, "configuration"},
		"no objects": {func(s *space) {
			s.must(os.RemoveAll(s.path(".git/objects")))
			s.must(os.MkdirAll(s.path(".git/objects"), 0o755))
		}, "commits are gone"},
		"another one": {func(s *space) {
			s.must(os.RemoveAll(s.path(".git")))
			s.git("init", "-q", "-b", "main")
			s.commit("new")
		}, "another repository"},
		"an empty one": {func(s *space) { s.must(os.RemoveAll(s.path(".git"))); s.git("init", "-q", "-b", "main") }, "another repository"},
		"refs are empty": {func(s *space) {
			s.must(os.RemoveAll(s.path(".git/refs")))
			s.must(os.MkdirAll(s.path(".git/refs"), 0o755))
		}, "refs are gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			start := s.state()
			c.do(s)
			now, err := s.repo.GitState(t.Context())
			if err == nil {
				err = s.repo.GitMoved(t.Context(), start, now)
			}
			var damage *tree.DamageError
			if !errors.As(err, &damage) || !strings.Contains(damage.What, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestARepositoryWhoseFirstCommitIsGoneIsStillTheSame(t *testing.T) {
	t.Parallel()
	s := gitSpace(t)
	start := s.state()
	s.git("commit", "-q", "--allow-empty", "--amend", "-m", "again")
	s.git("branch", "-q", "-D", "dev")
	s.git("update-ref", "-d", "refs/remotes/origin/main")
	s.git("reflog", "expire", "--expire=now", "--all")
	s.git("gc", "-q", "--prune=now")
	now := s.state()
	if err := s.repo.GitMoved(t.Context(), start, now); err != nil {
		t.Error(err)
	}
}
