package shim

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// prepare makes this process the parent of all orphans among its descendants.
func prepare() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// attributes put the program into a group of its own within the session of
// the supervisor, by which a recovering daemon finds it, and let it die with
// the supervisor.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// fork starts the program in the control group of the effect, or outside of
// one where that is not to be had. It can be called again when it fails.
func (s *supervisor) fork(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	if fd, err := s.group.Make(); err == nil {
		defer unix.Close(fd)
		within := *attr.Sys
		within.UseCgroupFD, within.CgroupFD = true, fd
		inside := *attr
		inside.Sys = &within
		if pid, err := syscall.ForkExec(path, argv, &inside); err == nil {
			s.exit.Cgroup = true
			return pid, nil
		}
		// It may be the program that cannot be started. Then so it is again.
		s.group.Remove()
	}
	pid, err := syscall.ForkExec(path, argv, attr)
	if err == nil {
		s.group = ""
	}
	return pid, err
}

func makePipe(fds *[2]int) error { return unix.Pipe2(fds[:], unix.O_CLOEXEC) }

// quickEnd is the age up to which the pids of an effect are surely above that
// of its supervisor, unless the numbers began again from the bottom: nothing
// forks through all of them in that time. Looking only at those makes the end
// of a short effect independent of how many processes the host has.
const quickEnd = 2 * time.Second

// tree lists the live processes of the effect.
func (s *supervisor) tree() []proc.Process {
	tree := proc.Descendants(os.Getpid())
	for _, p := range s.outside() {
		if !slices.ContainsFunc(tree, p.Same) {
			tree = append(tree, p)
		}
	}
	return tree
}

// outside lists the live processes of the effect that need not be descendants
// of this process: those in its control group, and those with its marker, as a
// job of a scheduler that copies environments.
func (s *supervisor) outside() []proc.Process {
	after := 0
	if self := os.Getpid(); time.Since(s.start.mono) < quickEnd && proc.Latest() >= self {
		after = self
	}
	found := s.group.Members(s.self.Start)
	for _, p := range proc.Marked(func(id string) bool { return id == s.spec.ID }, after)[s.spec.ID] {
		if !slices.ContainsFunc(found, p.Same) {
			found = append(found, p)
		}
	}
	return found
}

// clocks are the two clocks of which one goes on while the host sleeps.
type clocks struct {
	mono time.Time // its monotonic part is CLOCK_MONOTONIC
	boot time.Duration
}

func readClocks() clocks {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return clocks{mono: time.Now()}
	}
	return clocks{mono: time.Now(), boot: time.Duration(ts.Nano())}
}

// until returns the time that the host was awake and the time that it slept.
func (c clocks) until(now clocks) (active, suspended time.Duration) {
	active = now.mono.Sub(c.mono)
	suspended = now.boot - c.boot - active
	// The clocks are read one after the other; less than this is that, not sleep.
	if suspended < 50*time.Millisecond {
		suspended = 0
	}
	return active, suspended
}

// nameItself sets the name that ps and top show. The kernel takes it from the path, which
// is a descriptor's number here. An error changes nothing else.
func nameItself() { _ = os.WriteFile("/proc/self/comm", []byte("apshim"), 0) }
