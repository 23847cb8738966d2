package tree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALostRepositoryIsBroughtBack(t *testing.T) {
	t.Parallel()
	gone := func(paths ...string) func(*space) {
		return func(s *space) {
			for _, p := range paths {
				s.must(os.RemoveAll(s.path(p)))
			}
		}
	}
	for name, do := range map[string]func(*space){
		"removed":       gone(".git"),
		"no HEAD":       gone(".git/HEAD"),
		"no objects":    gone(".git/objects"),
		"no refs":       gone(".git/refs"),
		"configuration": func(s *space) { s.write(".git/config", "[core\n") },
		"a file":        func(s *space) { gone(".git")(s); s.write(".git", "gitdir: /nowhere\n") },
		"another one":   func(s *space) { gone(".git")(s); s.git("init", "-q", "-b", "trunk"); s.commit("new") },
		"an empty one":  func(s *space) { gone(".git")(s); s.git("init", "-q", "-b", "main") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			start := s.state()
			s.must(s.repo.KeepGit("run"))
			s.commit("of the agent", "b.txt")
			s.write("a.txt", "stashed")
			s.git("stash", "-q")
			s.write("a.txt", "not committed")
			last := s.state()
			s.must(s.repo.KeepGit("run"))
			before := s.git("status", "--porcelain") + s.git("log", "--oneline", "--all") + s.git("stash", "list")
			do(s)
			dry, err := s.repo.MendGit(t.Context(), "run", start, last, true)
			if err != nil || dry.Damage == "" || len(dry.Did) > 0 {
				t.Fatalf("dry: %+v, %v", dry, err)
			}
			v, err := s.repo.MendGit(t.Context(), "run", start, last, false)
			if err != nil || len(v.Lacks) > 0 {
				t.Fatalf("%+v, %v", v, err)
			}
			after := s.git("status", "--porcelain") + s.git("log", "--oneline", "--all") + s.git("stash", "list")
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("-before +after:\n%s\n%q", d, v.Did)
			}
			s.git("fsck", "--strict")
			if now := s.state(); !now.Same(last) {
				t.Errorf("-recorded +now:\n%s", cmp.Diff(last, now))
			}
			if again, err := s.repo.MendGit(t.Context(), "run", start, last, false); err != nil || again.Damage != "" {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

func TestWhatIsNotKeptIsNamed(t *testing.T) {
	t.Parallel()
	s := gitSpace(t)
	start := s.state()
	s.write(".git/lfs/x", "1")
	s.must(s.repo.KeepGit("run"))
	late := s.commit("after the last record")
	last := s.state()
	s.must(os.RemoveAll(s.path(".git")))
	v, err := s.repo.MendGit(t.Context(), "run", start, last, false)
	if err != nil || !slices.Contains(v.Lacks, "refs/heads/main ("+late[:12]+"): its commits were not kept") || !slices.Contains(v.Lacks, ".git/lfs") {
		t.Errorf("%+v, %v", v, err)
	}
	s.must(s.repo.Forget("run"))
	s.must(os.RemoveAll(s.path(".git")))
	if v, err := s.repo.MendGit(t.Context(), "run", start, last, false); err != nil || len(v.Lacks) == 0 || !strings.Contains(v.Lacks[0], "nothing") {
		t.Errorf("after the end of the run: %+v, %v", v, err)
	}
}

func TestALinkedWorkTreeFindsItsRepositoryAgain(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]string{"its file": ".git", "its folder": "folder"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			main := s.top
			s.top = filepath.Join(filepath.Dir(s.top), "linked")
			userGit(t, s.home, main, "worktree", "add", "-q", "-b", "own", s.top)
			s.open(0)
			start := s.state()
			s.must(s.repo.KeepGit("run"))
			path := s.path(what)
			if what == "folder" {
				path = filepath.Join(main, ".git", "worktrees", "linked")
			}
			s.must(os.RemoveAll(path))
			v, err := s.repo.MendGit(t.Context(), "run", start, start, false)
			if err != nil || v.Damage == "" || len(v.Lacks) > 0 {
				t.Fatalf("%+v, %v", v, err)
			}
			if got := s.git("status", "--porcelain", "--branch"); got != "## own" {
				t.Errorf("status: %s", got)
			}
		})
	}
}
