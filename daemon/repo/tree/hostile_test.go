package tree_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/test/proctest"
)

// TestNothingOfTheWorkspaceRunsOrChanges: every place where git would start a
// program of the workspace names a canary.
func TestNothingOfTheWorkspaceRunsOrChanges(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a.txt": "one\r\n", "sub/b.txt": "b", "secret.env": "x"})
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	canary := filepath.Join(filepath.Dir(s.top), "canary")
	program := filepath.Join(filepath.Dir(s.top), "program")
	s.must(proctest.WriteProgram(program, "#!/bin/sh\necho \"$0 $*\" >>'"+canary+"'\ncat\n"))
	s.write(".gitattributes", "* filter=evil diff=evil merge=evil text eol=lf ident working-tree-encoding=UTF-16\n[attr]binary2 -diff\n")
	config := fmt.Sprintf(`
[core]
	fsmonitor = %[1]q
	hooksPath = %[2]q
	worktree = /etc
	autocrlf = true
	sshCommand = %[1]q
	editor = %[1]q
	alternateRefsCommand = %[1]q
[filter "evil"]
	clean = %[1]q
	smudge = %[1]q
	process = %[1]q
	required = true
[diff]
	external = %[1]q
[diff "evil"]
	textconv = %[1]q
	command = %[1]q
[uploadpack]
	packObjectsHook = %[1]q
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::%[1]s
	promisor = true
	uploadpack = %[1]q
`, program, filepath.Dir(program))
	s.must(os.WriteFile(s.path(".git/config"), []byte("[core]\n\trepositoryformatversion = 1\n"+config), 0o644))
	s.must(os.WriteFile(filepath.Join(s.home, ".gitconfig"), []byte(config), 0o644))
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"} {
		s.must(proctest.WriteProgram(s.path(".git/hooks/"+hook), "#!/bin/sh\n"+program+"\n"))
	}
	s.must(os.WriteFile(s.path(".git/index.lock"), nil, 0o644))
	before := image(t, s.top)

	s.open(0)
	ignore := s.freeze()
	one := s.record(ignore)
	if diff := cmp.Diff(before, image(t, s.top)); diff != "" {
		t.Errorf("recording changed the workspace (-before +after):\n%s", diff)
	}
	text, _, err := s.repo.File(t.Context(), one.Tree, "a.txt")
	if err != nil || string(text) != "one\r\n" {
		t.Errorf("bytes were converted: %q, %v", text, err)
	}
	h, err := s.repo.Head(t.Context(), one.Tree)
	if err != nil || h.Commit == "" || !h.Dirty {
		t.Errorf("Head = %+v, %v", h, err)
	}
	first, err := s.repo.Keep(t.Context(), "run", "0", one.Tree, "", "m")
	s.must(err)
	s.write("a.txt", "two\r\n")
	// Rules of the start hold, whatever is ignored now.
	s.write(".gitignore", "*\n")
	s.must(os.WriteFile(s.path(".git/info/exclude"), []byte("*\n"), 0o644))
	s.write("hidden.go", "package x")
	two := s.record(ignore)
	if _, _, err := s.repo.File(t.Context(), two.Tree, "hidden.go"); err != nil {
		t.Errorf("an edited .gitignore hid a file: %v", err)
	}
	_, err = s.repo.Keep(t.Context(), "run", "1", two.Tree, first, "m")
	s.must(err)
	var out strings.Builder
	s.must(s.repo.Diff(t.Context(), one.Tree, two.Tree, nil, &out))
	if !strings.Contains(out.String(), "-one\r\n+two\r\n") {
		t.Errorf("diff:\n%s", out.String())
	}
	_, err = s.repo.Restore(t.Context(), two.Tree, one.Tree)
	s.must(err)
	s.must(os.WriteFile(s.path(".git/info/exclude"), []byte(strings.SplitN(before[".git/info/exclude"], " ", 2)[1]), 0o644))
	if diff := cmp.Diff(before, image(t, s.top)); diff != "" {
		t.Errorf("after the restore (-before +after):\n%s", diff)
	}
	if ran, err := os.ReadFile(canary); err == nil {
		t.Errorf("programs of the workspace ran:\n%s", ran)
	}
	// The canary does sing: a plain git status starts it.
	cmd := exec.Command("git", "status")
	cmd.Dir, cmd.Env = s.top, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_WORK_TREE=" + s.top}
	_ = cmd.Run() // whether it succeeds with such a configuration is not the point
	if _, err := os.Stat(canary); err != nil {
		t.Errorf("the test proves nothing: %v", err)
	}
}

// S49: what is ignored is what was when the run began.
func TestFrozenIgnoreRulesAreGits(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{
		".gitignore": "\ufeff*.log\r\n!keep.log\n/root-only\nbuild/\n\\#hash\ntrail \\ \n#comment\n",
		"a.log":      "", "keep.log": "", "root-only": "", "d/root-only": "", "build/x": "", "d/build/y": "", "#hash": "", "trail  ": "",
		"d/.gitignore": "*.tmp\n/anchored\nin/side\n!special.log\nsub/\n\\!bang\n", "d/x.tmp": "", "x.tmp": "", "d/e/x.tmp": "",
		"d/anchored": "", "d/e/anchored": "", "d/in/side": "", "in/side": "", "d/special.log": "", "d/sub/f": "", "d/!bang": "", "d/e/!bang": "",
		"d/e/.gitignore": "!x.tmp\n", "cache/.gitignore": "*\n", "cache/z": "", "cache/deep/z": "",
		"we[i]rd *\\/.gitignore": "only\n", "we[i]rd *\\/only": "", "wei rd/only": "", "user.ign": "", "info.ign": "",
		"forced.log": "tracked although ignored", "new\nline/.gitignore": "nl\n", "new\nline/nl": "",
	})
	s.must(os.WriteFile(filepath.Join(s.home, ".gitconfig"), []byte("[Core]\n\texcludesFile = ~/my ignore\n"), 0o644))
	s.must(os.WriteFile(filepath.Join(s.home, "my ignore"), []byte("user.ign\n"), 0o644))
	s.must(os.WriteFile(s.path(".git/info/exclude"), []byte("info.ign\n"), 0o644))
	s.git("add", "-f", "forced.log")
	want := strings.Split(strings.TrimSuffix(s.git("ls-files", "-z", "-c", "-o", "--exclude-standard"), "\x00"), "\x00")
	ignore := s.freeze()
	got := map[string]bool{}
	for _, line := range s.listing(s.record(ignore).Tree) {
		got[strings.SplitN(line, " ", 2)[1]] = true
	}
	wanted := map[string]bool{}
	for _, path := range want {
		wanted[path] = true
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("recorded (-git +ours):\n%s\n%s", diff, ignore)
	}
	s.must(os.Remove(s.path("forced.log")))
	s.record(ignore)
	s.write("forced.log", "again")
	if _, _, err := s.repo.File(t.Context(), s.record(ignore).Tree, "forced.log"); err != nil {
		t.Errorf("a tracked file that came back was ignored: %v", err)
	}
}

func TestDefaultExcludesFile(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a.bak": "", "b": ""})
	s.must(os.MkdirAll(filepath.Join(s.home, ".config/git"), 0o755))
	s.must(os.WriteFile(filepath.Join(s.home, ".config/git/ignore"), []byte("*.bak\n"), 0o644))
	if got := s.listing(s.record(s.freeze()).Tree); !cmp.Equal(got, []string{"100644 b"}) {
		t.Errorf("recorded %q", got)
	}
}

const childDir = "TREE_TEST_UNREADABLE"

// TestUnreadableFilesAreNamedAndGoneAround runs itself as a user whom modes bind.
func TestUnreadableFilesAreNamedAndGoneAround(t *testing.T) {
	if top := os.Getenv(childDir); top != "" {
		recordUnreadable(t, top)
		return
	}
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "tree-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	if err := os.Chmod(base, 0o777); err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, base, "PATH="+os.Getenv("PATH"), "HOME="+base, "TMPDIR="+base, childDir+"="+filepath.Join(base, "w"))
}

func recordUnreadable(t *testing.T, _ string) {
	s := newSpace(t, map[string]string{"ok": "x", "locked": "x", "shut/in": "x", "shut/deep/in": "x", "ignored/in": "x"})
	rules := []byte("/ignored/\n")
	good := s.record(rules)
	s.must(os.Chmod(s.path("ignored"), 0))
	for path, modes := range map[string][]os.FileMode{"locked": {0}, "shut": {0, 0o644, 0o444, 0o311}, "shut/deep": {0}} {
		info, err := os.Stat(s.path(path))
		s.must(err)
		for _, mode := range modes {
			s.must(os.Chmod(s.path(path), mode))
			s.write("ok", fmt.Sprint(mode))
			snap := s.record(rules)
			changes, err := s.repo.Changes(t.Context(), good.Tree, snap.Tree)
			s.must(err)
			named := slices.ContainsFunc(changes, func(c tree.Change) bool { return c.Path == path && c.NewMode == "160000" })
			if !named || !cmp.Equal(snap.Skipped, []string{path}) {
				t.Errorf("%s with %o: skipped %q, changes %+v", path, mode, snap.Skipped, changes)
			}
			if again := s.record(rules); again.Tree != snap.Tree {
				t.Errorf("%s with %o is another tree each time", path, mode)
			}
			if _, err := s.repo.FreezeIgnore(t.Context(), s.home); err != nil {
				t.Error(err)
			}
			s.must(os.Chmod(s.path(path), info.Mode().Perm()))
			s.write("ok", "x")
			if again := s.record(rules); again.Tree != good.Tree || len(again.Skipped) > 0 {
				t.Errorf("after %s with %o: %q, skipped %q", path, mode, s.listing(again.Tree), again.Skipped)
			}
		}
	}
	for _, path := range []string{"locked", "shut"} {
		s.must(os.Chmod(s.path(path), 0))
	}
	_, err := s.repo.Restore(t.Context(), s.record(rules).Tree, good.Tree)
	s.must(err)
	if again := s.record(rules); again.Tree != good.Tree {
		t.Errorf("restored %q", s.listing(again.Tree))
	}
	s.must(os.Chmod(s.path("ignored"), 0o755))
}

func TestPathsThatAreTooLongAreGoneAround(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"ok": "x"})
	name := strings.Repeat("d", 200)
	root, err := os.OpenRoot(s.top)
	s.must(err)
	for range 30 {
		s.must(root.Mkdir(name, 0o755))
		below, err := root.OpenRoot(name)
		s.must(errors.Join(err, root.Close()))
		root = below
	}
	s.must(errors.Join(root.WriteFile("f", nil, 0o644), root.Close()))
	snap := s.record(s.freeze())
	if again := s.record(nil); len(snap.Skipped) != 1 || again.Tree != snap.Tree {
		t.Errorf("skipped %q", snap.Skipped)
	}
	// Removed from within: no path of the system leads there.
	rm := exec.Command("rm", "-rf", name)
	rm.Dir = s.top
	s.must(rm.Run())
}

// TestAWordInOurOwnConfigurationRunsNothing: the environment of git has the last word,
// if something ever wrote to a repository of the daemon.
func TestAWordInOurOwnConfigurationRunsNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a.txt": "one\n"})
	canary := filepath.Join(filepath.Dir(s.top), "canary")
	program := filepath.Join(filepath.Dir(s.top), "fsmonitor")
	s.must(proctest.WriteProgram(program, "#!/bin/sh\ntouch '"+canary+"'\n"))
	f, err := os.OpenFile(filepath.Join(s.repo.Dir(), "config"), os.O_APPEND|os.O_WRONLY, 0)
	s.must(err)
	_, err = fmt.Fprintf(f, "[core]\n\tfsmonitor = %q\n\thooksPath = %q\n", program, filepath.Dir(program))
	s.must(errors.Join(err, f.Close()))
	s.record(s.freeze())
	s.write("a.txt", "two\n")
	s.record(s.freeze())
	if _, err := os.Lstat(canary); err == nil {
		t.Error("the program ran")
	}
}
