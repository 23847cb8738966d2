package tree_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
)

func TestRecordHoldsUntrackedFilesAndModes(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a.txt": "a\r\n", "dir/b.sh": "#!/bin/sh\n"})
	s.must(os.Chmod(s.path("dir/b.sh"), 0o755))
	s.must(os.Symlink("/etc/passwd", s.path("link")))
	s.must(os.MkdirAll(s.path("empty"), 0o755))
	snap := s.record(nil)
	want := []string{"100644 a.txt", "100755 dir/b.sh", "120000 link"}
	if diff := cmp.Diff(want, s.listing(snap.Tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	text, mode, err := s.repo.File(t.Context(), snap.Tree, "a.txt")
	if err != nil || string(text) != "a\r\n" || mode != 0o644 {
		t.Errorf("File = %q %v %v", text, mode, err)
	}
	text, mode, err = s.repo.File(t.Context(), snap.Tree, "link")
	if err != nil || string(text) != "/etc/passwd" || mode&os.ModeSymlink == 0 {
		t.Errorf("File = %q %v %v", text, mode, err)
	}
	for _, path := range []string{"none", "dir", "dir/", ""} {
		if _, _, err := s.repo.File(t.Context(), snap.Tree, path); !errors.Is(err, tree.ErrNotFound) {
			t.Errorf("File(%q): %v", path, err)
		}
	}
	if snap.Work != snap.Tree || len(snap.Skipped)+len(snap.Large)+len(snap.Nested) != 0 {
		t.Errorf("snapshot %+v", snap)
	}
}

func TestOddNamesAreRecordedAsTheyAre(t *testing.T) {
	t.Parallel()
	names := []string{"new\nline", "t\tab", `quo"te`, `back\slash`, "-dash", "--", "*", "[x]", "?", " sp ", "inv\xff\xfealid", "ü", "git~1", ".gitignore~", "a:b", "#tracked", "!x", ":(top)x"}
	files := map[string]string{}
	var want []string
	for _, n := range names {
		files["d\n-/"+n] = n
	}
	s := newSpace(t, files)
	snap := s.record(nil)
	for _, line := range s.listing(snap.Tree) {
		path := strings.TrimPrefix(line, "100644 ")
		text, _, err := s.repo.File(t.Context(), snap.Tree, path)
		if err != nil || "d\n-/"+string(text) != path {
			t.Errorf("File(%q) = %q, %v", path, text, err)
		}
		want = append(want, path)
	}
	if len(want) != len(names) {
		t.Errorf("recorded %q", want)
	}
}

func TestAProgressCountsTheFilesThatARecordReads(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "1", "b/c": "2"})
	var p tree.Progress
	if _, err := s.repo.Record(tree.Watch(t.Context(), &p), "r", nil, tree.Without{}); err != nil {
		t.Fatal(err)
	}
	if done, all := p.Files(); done != 2 || all != 2 {
		t.Errorf("%d of %d files", done, all)
	}
}

func TestRecordSeesEveryChange(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "1", "b": "1", "d/c": "1"})
	first := s.record(nil)
	if again := s.record(nil); again.Tree != first.Tree {
		t.Error("two records of one state differ")
	}
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"same size, same moment", func() { s.write("a", "2") }, []string{"modified a"}},
		{"time set back", func() {
			info, err := os.Stat(s.path("b"))
			s.must(err)
			s.write("b", "2")
			s.must(os.Chtimes(s.path("b"), info.ModTime(), info.ModTime()))
		}, []string{"modified b"}},
		{"deleted", func() { s.must(os.Remove(s.path("a"))) }, []string{"deleted a"}},
		{"moved", func() { s.must(os.Rename(s.path("b"), s.path("z"))) }, []string{"deleted b", "added z"}},
		{"program", func() { s.must(os.Chmod(s.path("z"), 0o755)) }, []string{"modified z"}},
		{"file for folder", func() { s.must(os.RemoveAll(s.path("d"))); s.write("d", "x") }, []string{"added d", "deleted d/c"}},
		{"folder for file", func() { s.must(os.Remove(s.path("d"))); s.write("d/e/f", "x") }, []string{"deleted d", "added d/e/f"}},
		{"link for folder", func() {
			s.must(os.Rename(s.path("d"), s.path("real")))
			s.must(os.Symlink("real", s.path("d")))
		}, []string{"added d", "deleted d/e/f", "added real/e/f"}},
		{"empty folder for file", func() { s.must(os.Remove(s.path("z"))); s.must(os.Mkdir(s.path("z"), 0o755)) }, []string{"deleted z"}},
		{"link to link", func() { s.must(os.Remove(s.path("d"))); s.must(os.Symlink("other", s.path("d"))) }, []string{"modified d"}},
		{"link to file", func() { s.must(os.Remove(s.path("d"))); s.write("d", "other") }, []string{"typechange d"}},
		{"everything gone", func() {
			for _, p := range []string{"d", "real"} {
				s.must(os.RemoveAll(s.path(p)))
			}
		}, []string{"deleted d", "deleted real/e/f"}},
	}
	last := first
	for _, step := range steps {
		step.do()
		now := s.record(nil)
		changes, err := s.repo.Changes(t.Context(), last.Tree, now.Tree)
		s.must(err)
		var got []string
		for _, c := range changes {
			got = append(got, string(c.Status)+" "+c.Path)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		last = now
	}
}

// TestTimeSetBackWithinTheSecond: git compares whole seconds, and the file's
// modification time is older than the index.
func TestTimeSetBackWithinTheSecond(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	old := time.Now().Add(-time.Hour)
	for i := range 5 {
		s.write("f", "aaaa")
		s.must(os.Chtimes(s.path("f"), old, old))
		a := s.record(nil)
		s.write("f", fmt.Sprintf("bbb%d", i))
		s.must(os.Chtimes(s.path("f"), old, old))
		if b := s.record(nil); a.Tree == b.Tree {
			t.Fatalf("round %d: a change was not seen", i)
		}
	}
}

func TestNotesAreLeftOutOfWork(t *testing.T) {
	t.Parallel()
	const notes = ".autopilot/notes/**"
	s := newSpace(t, map[string]string{"a": "1"})
	bare := s.record(nil, notes)
	if bare.Work != bare.Tree {
		t.Error("work differs without notes")
	}
	s.write(".autopilot/notes/deep/x.md", "first")
	one := s.record(nil, notes)
	if one.Work != bare.Tree || one.Tree == bare.Tree {
		t.Errorf("%+v, want work %s", one, bare.Tree)
	}
	s.write(".autopilot/notes/deep/x.md", "other")
	two := s.record(nil, notes)
	if two.Work != one.Work || two.Tree == one.Tree {
		t.Errorf("%+v after %+v", two, one)
	}
	if again := s.record(nil, notes); !cmp.Equal(again, two) {
		t.Errorf("%+v, want %+v", again, two)
	}
	if all := s.record(nil); all.Work != all.Tree {
		t.Error("other globs got the work of these")
	}
	s.write("a", "2")
	if three := s.record(nil, notes); three.Work == two.Work {
		t.Error("a change beside the notes was lost")
	}
}

func TestLargeUntrackedFilesAreRecordedByHash(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"small": "x", "tracked": strings.Repeat("t", 200)})
	s.git("add", "tracked")
	s.open(100)
	ignore := s.freeze()
	s.write("big", strings.Repeat("x", 101))
	one := s.record(ignore)
	if diff := cmp.Diff([]string{"160000 big", "100644 small", "100644 tracked"}, s.listing(one.Tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"big"}, one.Large); diff != "" {
		t.Errorf("large (-want +got):\n%s", diff)
	}
	if again := s.record(ignore); !cmp.Equal(one, again) {
		t.Errorf("%+v, want %+v", again, one)
	}
	if _, _, err := s.repo.File(t.Context(), one.Tree, "big"); !errors.Is(err, tree.ErrNotRecorded) {
		t.Errorf("err = %v, want ErrNotRecorded", err)
	}
	s.write("big", strings.Repeat("y", 101))
	two := s.record(ignore)
	if two.Tree == one.Tree {
		t.Error("a change of the large file was not seen")
	}
	restored, err := s.repo.Restore(t.Context(), two.Tree, one.Tree)
	if err != nil || !cmp.Equal(restored.Left, []string{"big"}) || len(restored.Written)+len(restored.Removed) != 0 {
		t.Errorf("Restore = %+v, %v", restored, err)
	}
	s.write("big", "now small")
	if three := s.record(ignore); len(three.Large) != 0 || s.listing(three.Tree)[0] != "100644 big" {
		t.Errorf("%+v", three)
	}
}

func TestContentsAreReadTogetherInTheirOrder(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"b.txt": "two\n", "a.txt": "one", "empty": "", "big": strings.Repeat("x", 200)})
	s.must(os.Symlink("a.txt", s.path("link")))
	s.open(100)
	snap := s.record(s.freeze())
	list, err := s.repo.Entries(t.Context(), snap.Tree)
	s.must(err)
	var want, got []string
	var inside []tree.Entry
	for _, e := range list {
		if e.Kind == tree.Outside {
			if _, err := s.repo.Texts(t.Context(), []tree.Entry{e}); !errors.Is(err, tree.ErrNotRecorded) {
				t.Errorf("content of %s: %v", e.Path, err)
			}
			continue
		}
		inside, want = append(inside, e), append(want, map[string]string{"b.txt": "two\n", "a.txt": "one", "empty": "", "link": "a.txt"}[e.Path])
	}
	texts, err := s.repo.Texts(t.Context(), inside)
	s.must(err)
	for _, text := range texts {
		got = append(got, string(text))
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 4 {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	if none, err := s.repo.Texts(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %q, %v", none, err)
	}
}

func TestNestedRepositoriesAreRecordedByHead(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"n/file": "x"})
	nested := s.path("n")
	userGit(t, s.home, nested, "init", "-q", "-b", "main")
	unborn := s.record(nil)
	userGit(t, s.home, nested, "add", ".")
	userGit(t, s.home, nested, "commit", "-qm", "one")
	one := s.record(nil)
	head := userGit(t, s.home, nested, "rev-parse", "HEAD")
	if diff := cmp.Diff([]string{"n"}, one.Nested); diff != "" {
		t.Errorf("nested (-want +got):\n%s", diff)
	}
	changes, err := s.repo.Changes(t.Context(), unborn.Tree, one.Tree)
	if err != nil || len(changes) != 1 || changes[0].NewID != head {
		t.Errorf("changes %+v, %v; want %s", changes, err, head)
	}
	userGit(t, s.home, nested, "pack-refs", "--all")
	if packed := s.record(nil); packed.Tree != one.Tree {
		t.Error("packed refs are read otherwise")
	}
	s.must(os.RemoveAll(filepath.Join(nested, ".git")))
	if plain := s.record(nil); len(plain.Nested) != 0 || !cmp.Equal(s.listing(plain.Tree), []string{"100644 n/file"}) {
		t.Errorf("files stay hidden behind a repository that is no more: %v", s.listing(plain.Tree))
	}
}

func TestWorkInANestedRepositoryIsRecordedAndRestored(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"n/file": "x", "n/deep/other": "y", "n/.gitignore": "*.log\n", "top": "t"})
	nested := s.path("n")
	userGit(t, s.home, nested, "init", "-q", "-b", "main")
	userGit(t, s.home, nested, "add", ".")
	userGit(t, s.home, nested, "commit", "-qm", "one")
	one := s.record(nil)
	s.write("n/made.log", "ignored there")
	if again := s.record(nil); again.Tree != one.Tree {
		t.Error("what is ignored in the repository counts")
	}
	s.write("n/file", "changed")
	s.write("n/.gitignore", "*\n")
	s.write("n/new/more", "new")
	two := s.record(nil)
	if two.Tree == one.Tree || s.record(nil).Tree != two.Tree {
		t.Fatal("work in the repository does not count, or is another tree each time")
	}
	out := filepath.Join(t.TempDir(), "out")
	done, err := s.repo.Checkout(t.Context(), two.Tree, out)
	if text, rerr := os.ReadFile(filepath.Join(out, "n/new/more")); err != nil || rerr != nil || string(text) != "new" || len(done.Absent) > 0 {
		t.Errorf("checked out %q, %v, %v; absent %q", text, err, rerr, done.Absent)
	}
	restored, err := s.repo.Restore(t.Context(), two.Tree, one.Tree)
	if back := s.record(nil); err != nil || back.Tree != one.Tree {
		t.Errorf("%+v, %v", restored, err)
	}
	if _, err := s.repo.Restore(t.Context(), one.Tree, two.Tree); err != nil {
		t.Error(err)
	}
	if back := s.record(nil); back.Tree != two.Tree {
		t.Error("the undo gives another tree")
	}
	s.must(s.repo.Forget("run"))
}

func TestWhatIsNoFileIsSkippedAndListed(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"d/a": "x", "b": "x"})
	s.must(syscall.Mkfifo(s.path("d/pipe"), 0o644))
	s.write(".GIT/hidden", "x")
	s.must(os.Symlink("x", s.path(".gitmodules")))
	first := s.record(nil)
	if diff := cmp.Diff([]string{".GIT/hidden", ".gitmodules", "d/pipe"}, first.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	s.must(os.Remove(s.path("b")))
	s.must(syscall.Mkfifo(s.path("b"), 0o644))
	second := s.record(nil)
	if diff := cmp.Diff([]string{"100644 d/a"}, s.listing(second.Tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	s.must(syscall.Mkfifo(s.path("d/.gitattributes"), 0o644))
	s.write("d/a", "y")
	third := s.record(nil) // git would wait for whoever writes into the pipe
	if text, _, err := s.repo.File(t.Context(), third.Tree, "d/a"); err != nil || string(text) != "y" || !slices.Contains(third.Skipped, "d/.gitattributes") {
		t.Errorf("%q, %v, skipped %q", text, err, third.Skipped)
	}
}

func TestIgnoreRulesAreNoPipes(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"d/.gitignore": "*.log\n", "d/x.log": "", "e/x.log": "", "sub/.gitignore": "*\n", "sub/deep/.gitignore": "!f\n", "sub/deep/f": ""})
	s.must(syscall.Mkfifo(s.path(".gitignore"), 0o644))
	s.must(syscall.Mkfifo(s.path("e/.gitignore"), 0o644))
	if diff := cmp.Diff([]string{"100644 d/.gitignore", "100644 e/x.log"}, s.listing(s.record(s.freeze()).Tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestWorkspaceGone(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "x"})
	snap := s.record(nil)
	s.must(os.RemoveAll(s.top))
	if _, err := s.repo.Record(t.Context(), "run", nil, tree.Without{}); !errors.Is(err, tree.ErrGone) {
		t.Errorf("Record: %v", err)
	}
	if _, err := s.repo.FreezeIgnore(t.Context(), s.home); !errors.Is(err, tree.ErrGone) {
		t.Errorf("FreezeIgnore: %v", err)
	}
	if _, err := s.repo.Head(t.Context(), snap.Tree); !errors.Is(err, tree.ErrGone) {
		t.Errorf("Head: %v", err)
	}
	if _, err := s.repo.Restore(t.Context(), snap.Tree, snap.Tree); !errors.Is(err, tree.ErrGone) {
		t.Errorf("Restore: %v", err)
	}
	if _, err := tree.Find(t.Context(), s.top); !errors.Is(err, tree.ErrGone) {
		t.Errorf("Find: %v", err)
	}
	if _, _, err := s.repo.File(t.Context(), snap.Tree, "a"); err != nil {
		t.Errorf("what was recorded is lost: %v", err)
	}
}

func TestForgetLeavesNothingOfAnIndex(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "x"})
	want := s.record(nil)
	other, err := s.repo.Record(t.Context(), "other", nil, tree.Without{})
	s.must(err)
	left := func() int {
		indexes, err := filepath.Glob(filepath.Join(s.repo.Dir(), "indexes", "*"))
		s.must(err)
		return len(indexes)
	}
	if n := left(); n != 2 {
		t.Fatalf("%d indexes", n)
	}
	s.must(s.repo.Forget("other"))
	s.must(s.repo.Forget("other"))
	if n := left(); n != 1 {
		t.Errorf("%d indexes are left, want the one of the run", n)
	}
	if again, err := s.repo.Record(t.Context(), "other", nil, tree.Without{}); err != nil || again.Tree != other.Tree || again.Tree != want.Tree {
		t.Errorf("recorded again: %s, %v", again.Tree, err)
	}
	if s.repo.Forget("../x") == nil {
		t.Error("a name that is none is taken")
	}
}

func TestCrashLeftovers(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "x"})
	want := s.record(nil)
	if _, err := s.repo.Keep(t.Context(), "run", "1", want.Tree, "", "m"); err != nil {
		t.Fatal(err)
	}
	indexes, err := filepath.Glob(filepath.Join(s.repo.Dir(), "indexes", "*"))
	if err != nil || len(indexes) != 1 {
		t.Fatal(indexes, err)
	}
	s.must(os.WriteFile(indexes[0]+".lock", nil, 0o600))
	s.must(os.WriteFile(filepath.Join(s.repo.Dir(), "refs/autopilot/run/1.lock"), nil, 0o600))
	s.open(0)
	s.write("a", "y")
	next := s.record(nil)
	if _, err := s.repo.Keep(t.Context(), "run", "1", next.Tree, "", "m"); err != nil {
		t.Errorf("a lock of the dead stayed: %v", err)
	}
	for name, text := range map[string]string{"empty": "", "garbage": "DIRC nonsense"} {
		s.must(os.WriteFile(indexes[0], []byte(text), 0o600))
		s.open(0)
		if got := s.record(nil); got.Tree != next.Tree {
			t.Errorf("%s index: tree %s, want %s", name, got.Tree, next.Tree)
		}
	}
	s.must(os.RemoveAll(filepath.Join(s.repo.Dir(), "objects")))
	s.open(0)
	if got := s.record(nil); got.Tree != next.Tree {
		t.Errorf("lost objects: tree %s, want %s", got.Tree, next.Tree)
	}
	if _, _, err := s.repo.File(t.Context(), next.Tree, "a"); err != nil {
		t.Errorf("lost objects were not written again: %v", err)
	}
}
