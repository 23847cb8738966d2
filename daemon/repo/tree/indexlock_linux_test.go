package tree_test

import (
	"os"
	"os/exec"
	"testing"

	"autopilot/daemon/repo/tree"
)

func TestALockOnTheIndexIsSeenWithWhoHasIt(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "x"})
	s.git("add", "a")
	s.git("commit", "-qm", "a")
	look := func(top string) (tree.IndexLock, bool) {
		t.Helper()
		ws, err := tree.Find(t.Context(), top)
		s.must(err)
		return ws.IndexLock()
	}
	if l, ok := look(s.top); ok {
		t.Fatalf("%+v", l)
	}
	lock := s.path(".git/index.lock")
	s.must(os.WriteFile(lock, nil, 0o644))
	if l, ok := look(s.top); !ok || l.Path != lock || l.PID != 0 || l.Since.IsZero() {
		t.Errorf("orphaned: %+v %t", l, ok)
	}
	f, err := os.Open(lock)
	s.must(err)
	if l, ok := look(s.top); !ok || l.PID != os.Getpid() {
		t.Errorf("open here: %+v %t", l, ok)
	}
	s.must(f.Close())
	// A git that waits, as one whose editor is open.
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = s.top, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home}
	in, err := cmd.StdinPipe()
	s.must(err)
	out, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	_, err = in.Write([]byte("HEAD\n"))
	s.must(err)
	_, err = out.Read(make([]byte, 1)) // it has begun
	s.must(err)
	if l, ok := look(s.top); !ok || l.PID != cmd.Process.Pid {
		t.Errorf("a git that works there: %+v %t, want process %d", l, ok, cmd.Process.Pid)
	}
	s.must(in.Close())
	_ = cmd.Wait()
	// A work tree beside it has an index of its own.
	s.git("worktree", "add", "-q", "-b", "two", s.top+"-two")
	if l, ok := look(s.top + "-two"); ok {
		t.Errorf("another work tree: %+v", l)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("it was taken away: %v", err)
	}
}
