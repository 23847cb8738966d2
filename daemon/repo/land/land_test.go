package land

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/projections/marker"
)

// changes is a table of works and of what others did meanwhile. want is git's list of what
// the landing changes on the tip, or the files in conflict behind "conflict".
func changes() map[string]struct {
	work, main func(b *bench)
	want       string
} {
	write := func(path, text string) func(*bench) { return func(b *bench) { b.write(path, text) } }
	git := func(args ...string) func(*bench) { return func(b *bench) { b.git(b.top, args...) } }
	lock := func(b *bench) { // a submodule, as its parent knows it
		b.git(b.top, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",mod")
		b.git(b.top, "commit", "-q", "--no-gpg-sign", "-m", "module")
		b.git(b.top, "reset", "-q", "--hard")
	}
	return map[string]struct {
		work, main func(b *bench)
		want       string
	}{
		"other files":           {write("new.txt", "new\n"), write("dir/b.txt", "other\n"), "A\tnew.txt"},
		"other lines of a file": {write("a.txt", edit(baseText, "one", "ONE")), write("a.txt", edit(baseText, "seven", "SEVEN")), "M\ta.txt"},
		"the same line":         {write("a.txt", edit(baseText, "one", "ONE")), write("a.txt", edit(baseText, "one", "1")), "conflict a.txt"},
		"the same line, alike":  {write("a.txt", edit(baseText, "one", "ONE")), write("a.txt", edit(baseText, "one", "ONE")), "nothing"},
		"removed and changed":   {git("rm", "-q", "gone.txt"), write("gone.txt", "changed\n"), "conflict gone.txt"},
		"removed by both":       {git("rm", "-q", "gone.txt"), git("rm", "-q", "gone.txt"), "nothing"},
		"added by both":         {write("new.txt", "mine\n"), write("new.txt", "yours\n"), "conflict new.txt"},
		"renamed and changed":   {git("mv", "a.txt", "z.txt"), write("a.txt", edit(baseText, "one", "ONE")), "D\ta.txt\nA\tz.txt"},
		"a file and a folder":   {write("x", "file\n"), write("x/y", "folder\n"), "conflict x"},
		"mode and content":      {func(b *bench) { b.must(os.Chmod(filepath.Join(b.top, "a.txt"), 0o755)) }, write("a.txt", edit(baseText, "one", "ONE")), "M\ta.txt"},
		"binary, one side":      {write("bin", "\x00\x01\x02"), write("b.txt", "b\n"), "A\tbin"},
		"binary, both":          {write("bin", "\x00\x01\x02"), write("bin", "\x00\x03"), "conflict bin"},
		"a link":                {func(b *bench) { b.must(os.Symlink("a.txt", filepath.Join(b.top, "l"))) }, write("b.txt", "b\n"), "A\tl"},
		"a submodule":           {lock, write("b.txt", "b\n"), "A\tmod"},
		"odd names":             {write("ü \"q\" [x]*.txt", "n\n"), write("b.txt", "b\n"), "A\tü \"q\" [x]*.txt"},
		"lines of Windows":      {write("crlf.txt", "a\r\nb\r\n"), write(".gitattributes", "*.txt text=auto eol=crlf\n"), "A\tcrlf.txt"},
		"a merge driver": {write("a.txt", edit(baseText, "one", "ONE")), func(b *bench) {
			b.write(".gitattributes", "* merge=evil\n")
			b.write("a.txt", edit(baseText, "seven", "SEVEN"))
		}, "M\ta.txt"},
		"nothing on the target": {write("new.txt", "new\n"), func(*bench) {}, "A\tnew.txt"},
	}
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// Issue M 2: merge or rebase onto the newest target, in a repository of the daemon alone.
func TestWorkComesOntoTheNewestTipOrItsConflictIsNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			trap := filepath.Join(b.TempDir(), "trap")
			b.git(b.top, "config", "merge.evil.driver", "touch "+trap)
			b.on("work", "the work", func() { tt.work(b) })
			b.on("main", "others", func() { tt.main(b) })
			before := b.state()
			s := b.scratch()
			for _, how := range []How{Merge, Rebase, Squash} {
				id, err := s.Onto(b.Context(), b.tip("main"), b.part(), how)
				if got := b.outcome(id, err); got != tt.want {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
			}
			if diff := cmp.Diff(before, b.state()); diff != "" {
				t.Errorf("the user's repository has changed:\n%s", diff)
			}
			if _, err := os.Stat(trap); err == nil {
				t.Error("a program of the repository was run")
			}
		})
	}
}

// outcome is what a landing changes on the tip, in a line each.
func (b *bench) outcome(id string, err error) string {
	b.Helper()
	var c *ConflictError
	switch {
	case errors.As(err, &c) && c.Run == "k3xq":
		return "conflict " + strings.Join(c.Files, " ")
	case errors.Is(err, ErrNothing):
		return "nothing"
	case err != nil:
		return err.Error()
	}
	if err := b.s.Lay(b.Context(), id); err != nil {
		return err.Error()
	}
	if whole, err := b.s.Whole(b.Context(), id); err != nil || !whole {
		b.Errorf("laid: %v %v", whole, err)
	}
	said := strings.Split(strings.Trim(b.show("diff", "--no-renames", "--name-status", "-z", b.tip("main"), id), "\x00"), "\x00")
	var lines []string
	for i := 0; i+1 < len(said); i += 2 {
		lines = append(lines, said[i]+"\t"+said[i+1])
	}
	return strings.Join(lines, "\n")
}

// state is everything of the user's repository and work tree, byte for byte.
func (b *bench) state() map[string]string {
	b.Helper()
	all := map[string]string{}
	b.must(filepath.WalkDir(b.top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte("link")
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		at := info.ModTime().String()
		if strings.HasPrefix(path, filepath.Join(b.top, ".git/objects")) {
			at = "" // git touches an object that it would write again
		}
		all[path] = info.Mode().String() + at + string(text)
		return nil
	}))
	return all
}

func TestTheFormOfALanding(t *testing.T) {
	t.Parallel()
	for how, want := range map[How]string{
		Merge: "Merge run k3xq: Change things\n\nRun k3xq of autopilot made this work.\nGates on the merged tree: test, lint\n" +
			"parents main work, by autopilot",
		Squash: "Change things\n\nRun k3xq of autopilot made this work.\nGates on the merged tree: test, lint\n" + "parents main, by autopilot",
		Rebase: "second\n\nwith a body\n" + "parents first-again, by ann 1700000000 con",
	} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.on("work", "first", func() { b.write("new.txt", "one\n") })
			b.on("work", "second\n\nwith a body", func() { b.write("new.txt", "two\n") })
			b.on("main", "others", func() { b.write("b.txt", "b\n") })
			s := b.scratch()
			id, err := s.Onto(b.Context(), b.tip("main"), b.part(), how)
			b.must(err)
			got := b.show("log", "-1", "--format=%B", id) + "\n"
			names := strings.NewReplacer(b.tip("main"), "main", b.tip("work"), "work")
			parents := names.Replace(b.show("log", "-1", "--format=%P", id))
			by := b.show("log", "-1", "--format=%an", id)
			if how == Rebase {
				if above := b.show("log", "-1", "--format=%s %P", parents); names.Replace(above) == "first main" {
					parents = "first-again"
				}
				by = b.show("log", "-1", "--date=raw", "--format=%an %at %cn", id)
			}
			if got += "parents " + parents + ", by " + by; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestARebaseRefusesMergesAndLeavesOutWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	b.on("work", "same", func() { b.write("a.txt", edit(baseText, "one", "ONE")) })
	b.on("main", "same", func() { b.write("a.txt", edit(baseText, "one", "ONE")) })
	s := b.scratch()
	id, err := s.Onto(b.Context(), b.tip("main"), b.part(), Rebase)
	b.must(err)
	if got := b.show("log", "--format=%s", b.tip("main")+".."+id); got != "mine" {
		t.Errorf("rebased: %s", got)
	}
	b.git(b.top, "checkout", "-q", "work")
	b.git(b.top, "merge", "-q", "--no-gpg-sign", "-m", "join", "main")
	b.git(b.top, "checkout", "-q", "main")
	b.on("main", "others", func() { b.write("b.txt", "b\n") })
	var merges *MergesError
	if _, err := s.Onto(b.Context(), b.tip("main"), b.part(), Rebase); !errors.As(err, &merges) {
		t.Errorf("with a merge: %v", err)
	}
	if _, err := s.Onto(b.Context(), b.tip("main"), b.part(), Squash); err != nil {
		t.Errorf("squashed: %v", err)
	}
}

func TestWorkThatLeadsOnIsRebasedAsItIs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	work := b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	if id, err := b.scratch().Onto(b.Context(), b.tip("main"), b.part(), Rebase); err != nil || id != work {
		t.Errorf("rebased: %s %v, want %s", id, err, work)
	}
}

func TestABatchIsBroughtInOrderAndNamesWhoConflicts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git(b.top, "branch", "second")
	b.on("work", "mine", func() { b.write("a.txt", edit(baseText, "one", "ONE")) })
	b.on("second", "theirs", func() { b.write("a.txt", edit(baseText, "seven", "SEVEN")) })
	s := b.scratch()
	parts := append(b.part(), Part{Run: "zzzz", Commit: b.tip("second"), Subject: "Second"})
	id, err := s.Onto(b.Context(), b.tip("main"), parts, Merge)
	b.must(err)
	if got := b.show("log", "--first-parent", "--format=%s", b.tip("main")+".."+id); got != "Merge run zzzz: Second\nMerge run k3xq: Change things" {
		t.Errorf("landed:\n%s", got)
	}
	parts[1].Commit = b.on("second", "again", func() { b.write("a.txt", edit(baseText, "one", "eins")) })
	var c *ConflictError
	if _, err := s.Onto(b.Context(), b.tip("main"), parts, Merge); !errors.As(err, &c) || c.Run != "zzzz" {
		t.Errorf("a conflict of the second: %v", err)
	}
}

func TestARepositoryOfSHA256Lands(t *testing.T) {
	t.Parallel()
	b := newBench(t, "--object-format=sha256")
	b.on("work", "mine", func() { b.write("new.txt", "one\n") })
	b.on("main", "others", func() { b.write("b.txt", "b\n") })
	old := b.tip("main")
	s := b.scratch()
	id, err := s.Onto(b.Context(), old, b.part(), Merge)
	b.must(err)
	b.git(b.top, "checkout", "-q", "work")
	if m, err := s.Move(b.Context(), b.ws, Target{"main", old, id, "zq1m"}); err != nil || m.State != events.LandDone || b.tip("main") != id {
		t.Errorf("moved: %+v %v", m, err)
	}
}

func TestAHistoryWithoutACommonCommitIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git(b.top, "checkout", "-q", "--orphan", "alone")
	b.commit("alone")
	b.git(b.top, "branch", "-f", "work")
	b.git(b.top, "checkout", "-q", "main")
	for _, how := range []How{Merge, Rebase, Squash} {
		if _, err := b.scratch().Onto(b.Context(), b.tip("main"), b.part(), how); err == nil || errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestNamesOfTargets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.scratch()
	for name, ok := range map[string]bool{
		"main": true, "autopilot/queue-a": true, "": false, "-d": false, "a..b": false, "a b": false, "HEAD": false, "a.lock": false, "x~1": false,
	} {
		if err := s.CheckBranch(b.Context(), name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if id, err := s.Resolve(b.Context(), "main~0"); err != nil || id != b.tip("main") {
		t.Errorf("main~0: %s %v", id, err)
	}
	for _, name := range []string{"nowhere", "--all", "", "main:a.txt"} {
		if _, err := s.Resolve(b.Context(), name); !errors.Is(err, ErrNoTarget) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The command is what a landing run has in the place of an agent.
func TestTheCommandLaysExactlyTheCommit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.on("work", "mine", func() {
		b.write("new.txt", "one\n")
		b.write(".gitattributes", "*.bin filter=x\n")
		b.write("x.bin", "raw\n")
		b.git(b.top, "rm", "-q", "gone.txt")
	})
	s := b.scratch()
	id, err := s.Onto(b.Context(), b.tip("main"), b.part(), Merge)
	b.must(err)
	b.must(s.Lay(b.Context(), b.tip("main")))
	for _, path := range []string{"made/by-a-gate", "new.txt", "a.txt"} {
		b.must(os.MkdirAll(filepath.Dir(filepath.Join(s.Top, path)), 0o755))
		b.must(os.WriteFile(filepath.Join(s.Top, path), []byte("left\n"), 0o644))
	}
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", Command(id))
	cmd.Dir, cmd.Env = s.Top, append(marker.WithoutRepository(os.Environ()), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.x.smudge", "GIT_CONFIG_VALUE_0=tr a-z A-Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if whole, err := s.Whole(b.Context(), id); err != nil || !whole {
		t.Errorf("whole: %v %v", whole, err)
	}
	if got := b.show("status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("left: %s", got)
	}
	b.must(os.WriteFile(filepath.Join(s.Top, "a.txt"), []byte("changed\n"), 0o644))
	if whole, err := s.Whole(b.Context(), id); err != nil || whole {
		t.Errorf("of a changed file: %v %v", whole, err)
	}
}
