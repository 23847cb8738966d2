package person_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/exec/proc"
)

// sleeper is a process without a terminal, with an environment.
func sleeper(t *testing.T, env ...string) person.Process {
	t.Helper()
	c := exec.Command("sleep", "300")
	c.Env = append(env, "LAST=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	for {
		p, err := person.System().Process(c.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name == "sleep" && len(p.Argv) == 2 {
			return p
		}
		runtime.Gosched() // the kernel lets go of the starter a moment before
	}
}

func TestTheKernelsTableShowsAProcess(t *testing.T) {
	t.Parallel()
	p := sleeper(t, "AUTOPILOT_EFFECT=01E", "CLAUDECODE=1")
	path, err := exec.LookPath("sleep")
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Parent != os.Getpid() || p.Group != p.PID || p.UID != os.Getuid() || p.TTY != 0 || p.Program != path ||
		!slices.Equal(p.Argv, []string{"sleep", "300"}) || p.Effect != "01E" || p.Agent != "claude" {
		t.Errorf("%+v", p)
	}
	if again, err := proc.Read(p.PID); err != nil || again.Start != p.Start {
		t.Errorf("start: %+v %v", again, err)
	}
}

func TestNamespacesOfThisProcessAreItsOwn(t *testing.T) {
	t.Parallel()
	own, err := person.System().Namespaces(os.Getpid())
	child, cerr := person.System().Namespaces(sleeper(t).PID)
	if err != nil || cerr != nil || own != child || own.User == "" || own.Mount == "" || own.PID == "" {
		t.Errorf("%+v %v, child %+v %v", own, err, child, cerr)
	}
}

func TestAProcessWithoutATerminalIsRefusedByTheKernelsTable(t *testing.T) {
	t.Parallel()
	p := sleeper(t)
	owner := func(int) (string, bool) { return "", false }
	_, err := person.Prove(person.System(), person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: owner}, person.Caller{PID: p.PID, Start: p.Start})
	if r, ok := err.(*person.Refusal); !ok || !slices.Contains(r.Reasons, "it has no terminal") || //nolint:errorlint // Prove gives nothing else
		!slices.Contains(r.Reasons, "a daemon of autopilot is among its ancestors") {
		t.Errorf("error: %v", err)
	}
}
