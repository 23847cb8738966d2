package proc_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/exec/proc"
)

// sleeper starts a process with an environment and returns what the kernel
// says of it.
func sleeper(t *testing.T, env ...string) (proc.Process, *exec.Cmd) {
	t.Helper()
	c := exec.Command("sleep", "300")
	c.Env = append([]string{"A=1"}, env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	p, err := proc.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// The kernel lets go of the starter a moment before it shows the environment.
	for _, entry := range env {
		id, ok := strings.CutPrefix(entry, proc.EffectVariable+"=")
		for ok && proc.Effect(p.PID) != id {
			runtime.Gosched()
		}
	}
	return p, c
}

func TestReadPlacesAProcess(t *testing.T) {
	t.Parallel()
	p, c := sleeper(t)
	if p.PID != c.Process.Pid || p.Parent != os.Getpid() || p.Group != syscall.Getpgrp() || p.Zombie || p.Start == 0 {
		t.Errorf("process: %+v", p)
	}
	if _, err := proc.Read(1 << 30); !errors.Is(err, proc.ErrGone) {
		t.Errorf("no such process: %v", err)
	}
	first, err := proc.Boot()
	again, _ := proc.Boot()
	if err != nil || first == "" || first != again {
		t.Errorf("boot: %q %q %v", first, again, err)
	}
}

func TestSignalHitsOnlyTheProcessThatWasMeant(t *testing.T) {
	t.Parallel()
	p, c := sleeper(t)
	reused := p
	reused.Start++
	if err := proc.Signal(reused, syscall.SIGKILL); !errors.Is(err, proc.ErrGone) {
		t.Errorf("signal by a reused pid: %v", err)
	}
	if err := proc.Signal(p, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended by %v", err)
	}
	if err := proc.Signal(p, syscall.SIGTERM); !errors.Is(err, proc.ErrGone) {
		t.Errorf("signal after the end: %v", err)
	}
}

func TestEffectIsFoundInTheEnvironment(t *testing.T) {
	t.Parallel()
	id := "proc-test-" + strconv.Itoa(os.Getpid())
	long := "LONG=" + strings.Repeat("x", 100_000)
	p, _ := sleeper(t, long, "NOT_AUTOPILOT_EFFECT=other", "AUTOPILOT_EFFECT="+id)
	other, _ := sleeper(t, "AUTOPILOT_EFFECT="+id+"0")
	if got := proc.Effect(p.PID); got != id {
		t.Errorf("effect: %q", got)
	}
	if got := proc.Effect(1 << 30); got != "" {
		t.Errorf("effect of nobody: %q", got)
	}
	found := proc.Marked(func(e string) bool { return strings.HasPrefix(e, id) }, 0)
	if len(found) != 2 || len(found[id]) != 1 || !found[id][0].Same(p) || !found[id+"0"][0].Same(other) {
		t.Errorf("marked: %+v", found)
	}
}

func TestDescendantsAndSession(t *testing.T) {
	t.Parallel()
	c := exec.Command("sh", "-c", "sh -c 'sleep 300 & echo; wait' & wait")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if got := proc.Descendants(c.Process.Pid); len(got) != 2 || got[1].Parent != got[0].PID {
		t.Errorf("descendants: %+v", got)
	}
	if got := proc.Session(c.Process.Pid); len(got) != 3 {
		t.Errorf("session: %+v", got)
	}
}

func TestTheAgeOfAProcess(t *testing.T) {
	t.Parallel()
	p, _ := sleeper(t)
	first, err := proc.Read(1)
	if err != nil {
		t.Fatal(err)
	}
	young, ok := proc.Age(p)
	old, known := proc.Age(first)
	if !ok || !known || old <= young {
		t.Errorf("%s %t, of the first %s %t", young, ok, old, known)
	}
	for _, start := range []uint64{1 << 62, p.Start + 100*3600*24*365} {
		if age, ok := proc.Age(proc.Process{PID: 2, Start: start}); ok {
			t.Errorf("a start to come: %s", age)
		}
	}
}
