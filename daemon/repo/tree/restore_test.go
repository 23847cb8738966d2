package tree_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

func TestRestoreMakesTheWorkTreeEqual(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"same": "s", "a": "1", "d/x": "1", "d/y": "1", "f": "file", "odd\n\xff": "o", "gone/deep/z": "1", "k.log": "ignored"})
	s.must(os.Chmod(s.path("a"), 0o750))
	s.must(os.Symlink("a", s.path("link")))
	ignore := []byte("*.log\n")
	before := s.record(ignore)
	same, err := os.Stat(s.path("same"))
	s.must(err)
	want := image(t, s.top)

	outside := filepath.Join(filepath.Dir(s.top), "outside")
	s.must(os.MkdirAll(filepath.Join(outside, "deep"), 0o755))
	s.must(os.WriteFile(filepath.Join(outside, "x"), []byte("mine"), 0o644))
	s.write("a", "2")
	s.must(os.Remove(s.path("link")))
	s.must(os.RemoveAll(s.path("d")))
	s.must(os.Symlink(outside, s.path("d"))) // the target has files below it
	s.must(os.Remove(s.path("f")))
	s.write("f/new", "n")
	s.must(os.RemoveAll(s.path("gone")))
	s.must(os.Remove(s.path("odd\n\xff")))
	s.write("new/deep/file", "n")
	after := s.record(ignore)

	done, err := s.repo.Restore(t.Context(), after.Tree, before.Tree)
	s.must(err)
	if diff := cmp.Diff(want, image(t, s.top)); diff != "" {
		t.Errorf("work tree (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"d", "f/new", "new/deep/file"}, done.Removed); diff != "" || len(done.Left) != 0 {
		t.Errorf("left %v, removed (-want +got):\n%s", done.Left, diff)
	}
	if now, err := os.Stat(s.path("same")); err != nil || !os.SameFile(same, now) || !now.ModTime().Equal(same.ModTime()) {
		t.Error("a file that did not differ was touched")
	}
	if got := image(t, outside); len(got) != 3 || !strings.HasSuffix(got["x"], "mine") {
		t.Errorf("Restore left the work tree: %v", got)
	}
	if now := s.record(ignore); now.Tree != before.Tree {
		t.Error("what was restored records otherwise")
	}
	if _, err := s.repo.Restore(t.Context(), before.Tree, after.Tree); err != nil {
		t.Errorf("undo: %v", err)
	}
	if now := s.record(ignore); now.Tree != after.Tree {
		t.Error("the undo differs from what was")
	}
}

func TestRestoreLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"n/inner": "1", "l/x": "1", "i/x": "1"})
	ignore := []byte("/elsewhere/\n*.log\n")
	before := s.record(ignore)
	userGit(t, s.home, s.path("n"), "init", "-q")
	s.write("n/inner", "2")
	s.must(os.RemoveAll(s.path("i")))
	s.write("i.d/k.log", "kept")
	s.must(os.RemoveAll(s.path("l")))
	s.must(os.Mkdir(s.path("elsewhere"), 0o755))
	fresh := s.recordAs("other", ignore)
	// After the recording an ignored link takes the place of a folder.
	s.must(os.Symlink("elsewhere", s.path("l")))
	done, err := s.repo.Restore(t.Context(), fresh.Tree, before.Tree)
	s.must(err)
	if diff := cmp.Diff([]string{"l/x", "n", "n/inner"}, done.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(s.path("n/inner")); err != nil || string(text) != "2" {
		t.Errorf("wrote into a nested repository: %q, %v", text, err)
	}
	if entries, err := os.ReadDir(s.path("elsewhere")); err != nil || len(entries) != 0 {
		t.Errorf("wrote through a link: %v, %v", entries, err)
	}
	if _, err := os.Stat(s.path("i.d/k.log")); err != nil {
		t.Error("an ignored file was removed")
	}
}

func TestKeepAndDiff(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "one\n", "b": "same\n"})
	one := s.record(nil)
	first, err := s.repo.Keep(t.Context(), "01RUN", "0", one.Tree, "", "start")
	s.must(err)
	s.write("a", "two\n")
	s.write("ü", "x\n")
	two := s.record(nil)
	second, err := s.repo.Keep(t.Context(), "01RUN", "1", two.Tree, first, "iteration 1")
	s.must(err)
	commit, kept, err := s.repo.Kept(t.Context(), "01RUN", "1")
	if err != nil || commit != second || kept != two.Tree {
		t.Errorf("Kept = %s %s %v", commit, kept, err)
	}
	for _, bad := range [][2]string{{"01RUN", "2"}, {"01RUN", "*"}, {"../x", "1"}, {"01RUN", ""}} {
		if _, _, err := s.repo.Kept(t.Context(), bad[0], bad[1]); err == nil {
			t.Errorf("Kept(%q) found something", bad)
		}
	}
	if _, _, err := s.repo.Kept(t.Context(), "01RUN", "2"); !errors.Is(err, tree.ErrNotFound) {
		t.Errorf("err = %v, want ErrNotFound", err)
	}
	var text bytes.Buffer
	s.must(s.repo.Diff(t.Context(), one.Tree, two.Tree, []string{"a"}, &text))
	if got := text.String(); !strings.Contains(got, "-one\n+two\n") || strings.Contains(got, "ü") {
		t.Errorf("diff:\n%s", got)
	}
	text.Reset()
	s.must(s.repo.Diff(t.Context(), one.Tree, two.Tree, nil, &text))
	if !strings.Contains(text.String(), "+++ b/ü") {
		t.Errorf("diff:\n%s", text.String())
	}
	if err := s.repo.Diff(t.Context(), "--output=/tmp/x", two.Tree, nil, &text); err == nil {
		t.Error("an option was taken for a tree")
	}
}

func TestAskingTwiceGivesTheSameChanges(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "one\n", "b": "same\n"})
	one := s.record(nil).Tree
	s.write("a", "two\n")
	two := s.record(nil).Tree
	s.write("d/c", "x\n")
	three := s.record(nil).Tree
	changes := func(a, b events.Tree) []tree.Change {
		list, err := s.repo.Changes(t.Context(), a, b)
		s.must(err)
		return list
	}
	first := changes(one, two)
	want := slices.Clone(first)
	first[0].Path = "the caller's own"
	if diff := cmp.Diff(want, changes(one, two)); diff != "" {
		t.Errorf("asked again (-first +again):\n%s", diff)
	}
	if len(want) != 1 || len(changes(one, three)) != 2 || changes(two, one)[0].OldID != want[0].NewID {
		t.Errorf("changes of other trees: %v %v", changes(one, three), changes(two, one))
	}
}
