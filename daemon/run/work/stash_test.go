package work

import (
	"os/exec"
	"path/filepath"
	"testing"

	"autopilot/daemon/repo/tree"
)

// git has one stash for all work trees of a repository, so agents in them are told.
func TestAStashIsSharedWhereARepositoryHasMoreWorkTrees(t *testing.T) {
	t.Parallel()
	main, linked := filepath.Join(t.TempDir(), "main"), filepath.Join(t.TempDir(), "linked")
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	shared := func(dir string) bool {
		t.Helper()
		ws, err := tree.Find(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return sharesStash(ws)
	}
	git("init", "-q", main)
	git("-C", main, "commit", "-q", "--allow-empty", "-m", "one")
	if shared(main) {
		t.Error("a repository with one work tree")
	}
	git("-C", main, "worktree", "add", "-q", linked)
	if !shared(main) || !shared(linked) {
		t.Errorf("with a linked work tree: %t there, %t in it", shared(main), shared(linked))
	}
	git("-C", main, "worktree", "remove", linked)
	if shared(main) {
		t.Error("after the linked one is gone")
	}
}
