package work

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/events"
)

// An agent in a linked work tree gets at no stash of another one, and loses nothing by
// trying; what git stashes by itself works (field reports: a stash was popped elsewhere).
func TestTheStashOfOtherWorkTreesIsGuarded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), `it's "one"`)
	main, linked := filepath.Join(dir, "main"), filepath.Join(dir, "linked")
	guard, file := filepath.Join(dir, stashGuardName), filepath.Join(dir, gitConfigName)
	var env []string
	git := func(in string, args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", in, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(err error, of ...any) {
		t.Helper()
		if err != nil {
			t.Fatal(append(of, err)...)
		}
	}
	file0 := func(in, text string) { t.Helper(); must(os.WriteFile(filepath.Join(in, "a"), []byte(text), 0o600)) }
	must(os.MkdirAll(main, 0o700))
	for _, step := range []func() (string, error){
		func() (string, error) { return git(main, "init", "-q", "-b", "main") },
		func() (string, error) { file0(main, "1\n"); return git(main, "add", "-A") },
		func() (string, error) { return git(main, "commit", "-qm", "1") },
		func() (string, error) { return git(main, "worktree", "add", "-q", linked) },
		func() (string, error) { file0(main, "of a person\n"); return git(main, "stash") },
	} {
		out, err := step()
		must(err, out)
	}
	must(os.WriteFile(guard, stashGuard, 0o600))
	must(os.WriteFile(file, []byte(gitConfig(events.GitDeny, guard)), 0o600))
	env = gitConfigEnv(nil, filepath.Join(main, ".git"), file)
	file0(linked, "of the agent\n")
	for _, c := range []string{"stash", "stash push -m x", "stash save x", "stash -u", "-c a.b=c stash pop", "stash pop", "stash apply stash@{0}", "stash apply -q 0", "--no-pager stash pop"} {
		out, err := git(linked, strings.Fields(c)...)
		text, _ := os.ReadFile(filepath.Join(linked, "a"))
		if err == nil || !strings.Contains(out, "one for all work trees") || string(text) != "of the agent\n" {
			t.Errorf("git %s: %v, %q leaves %q", c, err, out, text)
		}
	}
	for _, c := range []string{"stash list", "stash show", "status", "commit -qam stash"} {
		if out, err := git(linked, strings.Fields(c)...); err != nil {
			t.Errorf("git %s: %v\n%s", c, err, out)
		}
	}
	file0(linked, "not committed\n")
	if out, err := git(linked, "rebase", "-q", "--autostash", "--force-rebase", "HEAD~1"); err != nil {
		t.Errorf("a rebase with an autostash: %v\n%s", err, out)
	}
	if out, err := git(linked, "push", "origin"); err == nil {
		t.Errorf("a push: %s", out)
	}
	env = nil
	if out, _ := git(main, "stash", "list"); strings.Count(out, "stash@") != 1 {
		t.Errorf("the stash in the end: %q", out)
	}
	if out, err := git(main, "stash", "pop"); err != nil {
		t.Errorf("the person's own pop: %v\n%s", err, out)
	}
}
