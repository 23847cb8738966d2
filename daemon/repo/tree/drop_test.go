package tree_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

// keepAs records the work tree and keeps it as the first tree of a run.
func (s *space) keepAs(run string) events.Tree {
	s.t.Helper()
	snap := s.recordAs(run, s.freeze())
	_, err := s.repo.Keep(context.Background(), run, "0", snap.Tree, "", "start")
	s.must(err)
	s.must(s.repo.Forget(run))
	return snap.Tree
}

// has says that all of a tree can be read.
func (s *space) has(t events.Tree) bool {
	s.t.Helper()
	files, err := s.repo.Files(context.Background(), t)
	for _, f := range files {
		if err == nil {
			_, _, err = s.repo.File(context.Background(), t, f)
		}
	}
	return err == nil
}

func (s *space) drop(d tree.Dropping) int {
	s.t.Helper()
	d.Workspace = s.repo.Workspace().ID
	n, err := tree.Config{Root: s.root}.Drop(context.Background(), d)
	s.must(err)
	s.repo.Doubt()
	return n
}

func TestTreesOfARunAreDroppedWithWhatOnlyTheyHad(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"both": "in both\n"})
	s.write("only", "of the first\n")
	first := s.keepAs("r1")
	s.must(os.Remove(s.path("only")))
	second := s.keepAs("r2")
	s.write("named", "by an event\n")
	named := s.recordAs("r3", s.freeze()).Tree
	later := time.Now().Add(time.Minute)

	if n := s.drop(tree.Dropping{Runs: []string{"r1"}, Before: later, DryRun: true}); n != 1 || !s.has(first) {
		t.Fatalf("a dry one: %d, and the tree is there: %v", n, s.has(first))
	}
	if n := s.drop(tree.Dropping{Runs: []string{"r1"}, Before: time.Now().Add(-time.Hour)}); n != 1 || !s.has(first) {
		t.Fatalf("objects that are new: %d, and there: %v", n, s.has(first))
	}
	n := s.drop(tree.Dropping{Runs: []string{"r1"}, Keep: []events.Tree{named, "", "junk", events.Tree(first[:39] + "0")}, Before: later, Alone: true})
	if n != 0 || s.has(first) || !s.has(second) || !s.has(named) {
		t.Errorf("%d names; there are first %v, second %v, named %v", n, s.has(first), s.has(second), s.has(named))
	}
	if _, err := os.Stat(filepath.Join(s.repo.Dir(), "refs/spared")); !os.IsNotExist(err) {
		t.Errorf("it leaves its own names: %v", err)
	}
	// What was never kept, and is known in memory, is recorded anew.
	if n := s.drop(tree.Dropping{Runs: []string{"r2"}, Before: later, Alone: true}); n != 1 || s.has(second) || s.has(named) {
		t.Errorf("%d names; there are second %v, named %v", n, s.has(second), s.has(named))
	}
	if again := s.recordAs("r3", s.freeze()).Tree; again != named || !s.has(again) {
		t.Errorf("recorded again: %s, whole %v", again, s.has(again))
	}
}

func TestNamesOfFilesGoWithTheRunsThatRecordedThem(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{".gitignore": "secret-name\n", "other-name": "a\n"})
	s.keepAs("r1")
	named := func() (list []string) {
		s.must(filepath.WalkDir(s.repo.Dir(), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), "-name") {
				list = append(list, path)
			}
			return err
		}))
		return list
	}
	if len(named()) == 0 {
		t.Fatal("the test proves nothing: no file has the names")
	}
	s.drop(tree.Dropping{Runs: []string{"r1"}, Before: time.Now()})
	if list := named(); len(list) > 0 {
		t.Errorf("names are still in %q", list)
	}
	s.keepAs("r2")
}

func TestDroppingWhereNothingIs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if n, err := (tree.Config{Root: root}).Drop(t.Context(), tree.Dropping{Workspace: "0123", Runs: []string{"r"}}); n != 0 || err != nil {
		t.Errorf("no repository: %d %v", n, err)
	}
	if _, err := (tree.Config{Root: root}).Drop(t.Context(), tree.Dropping{Workspace: "../x"}); err == nil {
		t.Error("a path was taken for a workspace")
	}
	if err := os.MkdirAll(filepath.Join(root, "0123.git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (tree.Config{Root: root}).Drop(t.Context(), tree.Dropping{Workspace: "0123", Runs: []string{"../../x"}}); err == nil {
		t.Error("a path was taken for a run")
	}
}
