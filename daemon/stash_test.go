package daemon

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A person stashes and pops beside a run, also what does not fit: the run records what
// is there, and neither the stashes nor the index are its own.
func TestStashesOfAPersonAreLeftAloneByARun(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "one\n", ".gitignore": "began\ngo\n"})
	git := func(ok bool, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", s.work, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		out, err := cmd.CombinedOutput()
		if (err == nil) != ok {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git(true, "add", "-A")
	git(true, "commit", "-qm", "x")
	s.write(map[string]string{"a": "of before\n"})
	git(true, "stash")
	s.must(syscall.Mkfifo(s.work+"/began", 0o600))
	s.must(syscall.Mkfifo(s.work+"/go", 0o600))
	v := s.start(s.spec("test -f ok && test -f half", "touch half; echo two > a; echo > began; cat go; touch ok"))
	if _, err := os.ReadFile(s.work + "/began"); err != nil {
		t.Fatal(err)
	}
	git(true, "stash", "-u") // the agent's half of the work is away
	git(true, "stash", "pop")
	git(false, "stash", "pop") // its own file is in the way
	s.must(os.WriteFile(s.work+"/go", []byte("\n"), 0))
	s.wants(s.until(v.ID, settled), "done")
	if n := git(true, "stash", "list"); strings.Count(n, "stash@") != 1 {
		t.Errorf("stashes: %q", n)
	}
	if got := git(true, "status", "--porcelain"); got != "M a\n?? half\n?? ok" {
		t.Errorf("the index: %q", got)
	}
	s.mustVerify()
}
