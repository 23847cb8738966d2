package daemon

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"autopilot/daemon/test/proctest"
)

const oddChild = "DAEMON_TEST_ODD"

// TestWhatCannotBeReadIsGoneAround runs itself as a user whom modes bind.
func TestWhatCannotBeReadIsGoneAround(t *testing.T) {
	if os.Getenv(oddChild) != "" {
		playOdd(t)
		return
	}
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "odd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	shim := filepath.Join(base, "apshim")
	if err := errors.Join(os.Chmod(base, 0o777), exec.Command("cp", shimPath, shim).Run()); err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, base, "PATH="+os.Getenv("PATH"), "HOME="+base, "TMPDIR="+base, oddChild+"=1", proctest.ShimVariable+"="+shim)
}

// opened makes what a play has shut removable.
func (s *site) opened() {
	s.t.Cleanup(func() {
		for _, dir := range []string{s.work, s.cfg.Places.State, s.cfg.Home} {
			if err := exec.Command("chmod", "-R", "u+rwX", dir).Run(); err != nil {
				s.t.Error(err)
			}
		}
	})
}

func playOdd(t *testing.T) {
	t.Run("work is done beside it", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"a": "a", "b": "b"})
		s.opened()
		st := s.play(s.spec("mkdir -p g; chmod 000 g; mkdir -p $HOME/x; chmod 000 $HOME/x; test -f ok",
			"mkdir shut nox; touch shut/f nox/f; chmod 000 shut b; chmod 644 nox; rm a; mkfifo a .gitignore .gitattributes; ln -s loop loop; touch ok"))
		s.wants(st, "done")
		s.wants(s.play(s.spec("test -f ok2", "touch ok2")), "done")
	})
	t.Run("tests that cannot be read are changed ones", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"tests/test_a.py": "x\n"})
		s.opened()
		st := s.play(s.spec("test -f ok", "touch ok; chmod 000 tests"))
		s.wants(st, "halted:drift")
		if w := s.why(st.ID); !slices.Contains(w.Files, "tests/test_a.py") {
			t.Errorf("%v", w.Files)
		}
	})
}
