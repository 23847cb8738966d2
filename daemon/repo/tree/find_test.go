package tree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/repo/tree"
)

func TestFindKnowsEveryFormOfWorkTree(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"deep/er/file": "x"})
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	other := filepath.Join(filepath.Dir(s.top), "other")
	s.git("worktree", "add", "-q", other)
	s.git("init", "-q", "--bare", filepath.Join(filepath.Dir(s.top), "bare.git"))
	sub := s.path("sub")
	s.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", s.top, "sub")
	link := filepath.Join(filepath.Dir(s.top), "link")
	s.must(os.Symlink(s.path("deep"), link))
	for dir, want := range map[string]string{s.top: s.top, s.path("deep/er"): s.top, link: s.top, other: other, sub: sub, filepath.Join(sub, "deep"): sub} {
		ws, err := tree.Find(t.Context(), dir)
		if err != nil || ws.Path != want || len(ws.ID) != 16 {
			t.Errorf("Find(%s) = %+v, %v; want %s", dir, ws, err, want)
		}
	}
	plain := t.TempDir()
	for dir, hint := range map[string]string{
		plain: "not in a git work tree; git init", filepath.Join(filepath.Dir(s.top), "bare.git"): "bare repository, so it has no files to work on; git clone", filepath.Join(filepath.Dir(s.top), "bare.git", "refs"): "bare",
		s.path(".git/refs"): "own folder", s.path("deep/er/file"): "not a directory",
	} {
		_, err := tree.Find(t.Context(), dir)
		var place *tree.PlaceError
		if !errors.Is(err, tree.ErrNotRepository) || !errors.As(err, &place) || !strings.Contains(place.What+"; "+place.Fix, hint) {
			t.Errorf("Find(%s): %+v", dir, err)
		}
	}
}

func TestHeadIsReadFromFiles(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	empty := s.record(nil)
	h, err := s.repo.Head(t.Context(), empty.Tree)
	if err != nil || h.Commit != "" || h.Ref != "refs/heads/main" || h.Dirty {
		t.Errorf("unborn: %+v, %v", h, err)
	}
	s.write("a", "1")
	if h, err := s.repo.Head(t.Context(), s.record(nil).Tree); err != nil || !h.Dirty {
		t.Errorf("unborn with a file: %+v, %v", h, err)
	}
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	clean := s.record(nil).Tree
	check := func(name, ref string, dirty bool, recorded tree.Snapshot) {
		t.Helper()
		h, err := s.repo.Head(t.Context(), recorded.Tree)
		if err != nil || h.Commit != s.git("rev-parse", "HEAD") || h.Ref != ref || h.Tree != clean || h.Dirty != dirty {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	check("clean", "refs/heads/main", false, s.record(nil))
	s.git("pack-refs", "--all")
	s.git("gc", "-q")
	s.write("a", "2")
	check("packed and changed", "refs/heads/main", true, s.record(nil))
	s.git("checkout", "-q", "--detach")
	check("detached", "", true, s.record(nil))
	s.must(os.WriteFile(s.path(".git/HEAD"), []byte("ref: refs/heads/.invalid\n"), 0o644))
	if _, err := s.repo.Head(t.Context(), clean); !errors.Is(err, tree.ErrRefFormat) {
		t.Errorf("reftable: %v", err)
	}
	s.must(os.WriteFile(s.path(".git/HEAD"), []byte("ref: ../../../etc/passwd\n"), 0o644))
	if _, err := s.repo.Head(t.Context(), clean); err == nil {
		t.Error("a ref outside refs/ was followed")
	}
}

func TestSHA256RepositoriesAndTheirWorkTrees(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	s.must(os.RemoveAll(s.path(".git")))
	s.must(os.RemoveAll(s.root))
	s.git("init", "-q", "--object-format=sha256")
	s.write("a", "1")
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	s.open(0)
	snap := s.record(s.freeze())
	if h, err := s.repo.Head(t.Context(), snap.Tree); err != nil || h.Dirty || len(h.Commit) != 64 {
		t.Errorf("%+v, %v", h, err)
	}
	s.open(0)
	if again := s.record(nil); again.Tree != snap.Tree {
		t.Errorf("%s, want %s", again.Tree, snap.Tree)
	}
}

func TestLinkedWorkTreesAreOfOneRepository(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"file": "x"})
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	base := filepath.Dir(s.top)
	other, clone, link := filepath.Join(base, "other"), filepath.Join(base, "clone"), filepath.Join(base, "link")
	s.git("worktree", "add", "-q", other)
	s.git("clone", "-q", s.top, clone)
	s.must(os.Symlink(s.top, link))
	id := func(dir string) string {
		ws, err := tree.Find(t.Context(), dir)
		s.must(err)
		id, err := ws.Repository()
		if err != nil || len(id) != 16 {
			t.Fatalf("%s: %q %v", dir, id, err)
		}
		return id
	}
	if own := id(s.top); own != id(other) || own != id(link) || own == id(clone) {
		t.Errorf("%s, its work tree %s, a link %s, a clone %s", own, id(other), id(link), id(clone))
	}
	if _, err := (tree.Workspace{Path: base}).Repository(); err == nil {
		t.Error("a directory that is no work tree has a repository")
	}
}
