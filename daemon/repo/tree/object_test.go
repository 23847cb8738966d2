package tree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Git reads the commits that are made without it, and finds nothing to say about them.
func TestKeptCommitsAreGits(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, map[string]string{"a": "a\n"})
			s.must(errors.Join(os.RemoveAll(s.path(".git")), os.RemoveAll(s.root)))
			s.git("init", "-q", "-b", "main", "--object-format="+format)
			s.open(0)
			one := s.record(nil)
			first, err := s.repo.Keep(t.Context(), "run", "0", one.Tree, "", "start\n")
			s.must(err)
			s.write("b", "b\n")
			second, err := s.repo.Keep(t.Context(), "run", "1", s.record(nil).Tree, first, "one\n\nwith a body")
			s.must(err)
			got := s.git("--git-dir="+s.repo.Dir(), "log", "--format=%T %P|%an %ae %cn %ce|%B", second)
			want := s.git("--git-dir="+s.repo.Dir(), "rev-parse", second+"^{tree}") + " " + first + "|autopilot autopilot@localhost autopilot autopilot@localhost|one\n\nwith a body\n" +
				string(one.Tree) + " |autopilot autopilot@localhost autopilot autopilot@localhost|start"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if said := s.git("--git-dir="+s.repo.Dir(), "fsck", "--strict", "--no-dangling"); strings.Contains(said, "error") || strings.Contains(said, "warning") {
				t.Errorf("fsck: %s", said)
			}
		})
	}
}

// Keep finds a tree in a pack too, and refuses one that is missing.
func TestTreesInPacksAreKept(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a\n"})
	one := s.record(nil)
	_, err := s.repo.Keep(t.Context(), "run", "0", one.Tree, "", "start\n")
	s.must(err)
	s.git("--git-dir="+s.repo.Dir(), "repack", "-adq")
	if loose, _ := filepath.Glob(filepath.Join(s.repo.Dir(), "objects", "??", "*")); len(loose) > 0 {
		t.Fatalf("not packed: %v", loose)
	}
	if _, err := s.repo.Keep(t.Context(), "run", "1", one.Tree, "", "again\n"); err != nil {
		t.Error(err)
	}
	if _, err := s.repo.Keep(t.Context(), "run", "2", "0123456789012345678901234567890123456789", "", "none\n"); err == nil {
		t.Error("a tree that is nowhere was kept")
	}
}

// What is compared by listings is what git says of the trees.
func TestTreesAreComparedAsGitDoes(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{
		"same": "x\n", "gone/x": "1\n", "changed": "1\n", "file": "1\n", "dir/in": "1\n", "tool": "#!/bin/sh\n", "a-b": "1\n", "a/b": "1\n", "a.b": "1\n",
	})
	was := s.record(nil)
	s.must(os.RemoveAll(s.path("gone")))
	s.write("changed", "2\n")
	s.must(os.Remove(s.path("file")))
	s.write("file/in", "2\n")
	s.must(os.RemoveAll(s.path("dir")))
	s.must(os.Symlink("same", s.path("dir")))
	s.must(os.Chmod(s.path("tool"), 0o755))
	s.write("a-b", "2\n")
	s.write("a/b", "2\n")
	s.write("a.b", "2\n")
	s.write("new é\n", "3\n")
	is := s.record(nil)
	byGit, err := s.repo.Changes(t.Context(), was.Tree, is.Tree) // nothing is listed yet
	s.must(err)
	s.open(0) // forgets it
	_, err = s.repo.Files(t.Context(), was.Tree)
	s.must(err)
	listed, err := s.repo.Changes(t.Context(), was.Tree, is.Tree)
	s.must(err)
	if diff := cmp.Diff(byGit, listed); diff != "" || len(listed) != 11 {
		t.Errorf("%d changes (-git +listed):\n%s", len(listed), diff)
	}
}
