package tree_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

// What is read without a process is what git reads: the same of loose objects, and of
// the same objects in a pack.
func TestLooseAndPackedObjectsReadTheSame(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSpaceOf(t, format, map[string]string{
				"a": "a\n", "a-b/c": "1\n", "a.d": "2\n", "b/c/d": string(make([]byte, 5000)), "b/e": "e\n", "empty": "",
			})
			s.must(os.Symlink("a", s.path("link")))
			first := s.record(s.freeze()).Tree
			s.write("b/e", "other\n")
			s.must(os.Remove(s.path("link")))
			s.write("link/now", "a folder\n")
			second := s.record(s.freeze()).Tree
			s.open(0) // remembers no listing
			loose := s.answers(first, second)
			for _, t := range []events.Tree{first, second} {
				if _, err := s.repo.Keep(s.t.Context(), "run", string(t[:8]), t, "", "m"); err != nil {
					s.t.Fatal(err)
				}
			}
			out, err := exec.Command("git", "--git-dir="+s.repo.Dir(), "repack", "-a", "-d", "-q").CombinedOutput()
			if err != nil {
				t.Fatalf("repack: %v\n%s", err, out)
			}
			s.open(0)
			if d := cmp.Diff(s.answers(first, second), loose); d != "" {
				t.Errorf("loose objects (-packed +loose):\n%s", d)
			}
		})
	}
}

type answers struct {
	Files   []string
	Changes []tree.Change
	Texts   []string
	Modes   []fs.FileMode
	Absent  []bool
}

func (s *space) answers(a, b events.Tree) (got answers) {
	s.t.Helper()
	var err error
	got.Changes, err = s.repo.Changes(s.t.Context(), a, b)
	s.must(err)
	got.Files, err = s.repo.Files(s.t.Context(), a)
	s.must(err)
	entries, err := s.repo.Entries(s.t.Context(), a)
	s.must(err)
	texts, err := s.repo.Texts(s.t.Context(), entries)
	s.must(err)
	for _, text := range texts {
		got.Texts = append(got.Texts, string(text))
	}
	for _, path := range []string{"b/c/d", "link", "b", "b/", "a/b", "none", "b//e", "/a"} {
		text, mode, err := s.repo.File(s.t.Context(), a, path)
		got.Texts, got.Modes, got.Absent = append(got.Texts, string(text)), append(got.Modes, mode), append(got.Absent, err != nil)
	}
	return got
}

// A loose object that is cut is an error and never an answer.
func TestADamagedLooseObjectIsNotRead(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "one\n", "b": "two\n"})
	snap := s.record(s.freeze())
	entries, err := s.repo.Entries(t.Context(), snap.Tree)
	s.must(err)
	object := func(id string) string { return filepath.Join(s.repo.Dir(), "objects", id[:2], id[2:]) }
	whole, err := os.ReadFile(object(entries[0].ID))
	s.must(err)
	for name, text := range map[string][]byte{"no sum": whole[:len(whole)-4], "cut": whole[:len(whole)-6], "empty": {}} {
		path := object(entries[0].ID)
		s.must(errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, text, 0o600)))
		if text, _, err := s.repo.File(t.Context(), snap.Tree, "a"); err == nil {
			t.Errorf("%s: read %q", name, text)
		}
	}
}
