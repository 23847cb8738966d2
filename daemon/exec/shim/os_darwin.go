package shim

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// prepare does nothing here: macOS has no subreaper, so orphans go to launchd.
func prepare() error { return nil }

// attributes put the program into a group of its own. It outlives a killed
// supervisor, as macOS has no parent-death signal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// fork starts the program.
func (s *supervisor) fork(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	return syscall.ForkExec(path, argv, attr)
}

func makePipe(fds *[2]int) error {
	// As in the standard library: without the lock a child that is started
	// between the two calls would inherit the pipe.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(fds[:]); err != nil {
		return err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return nil
}

// tree lists the live processes of the effect's group. What left the group is
// not seen here.
func (s *supervisor) tree() []proc.Process {
	if s.child == 0 {
		return nil
	}
	return proc.Group(s.child)
}

// outside is the tree: members of the group may be nobody's children.
func (s *supervisor) outside() []proc.Process { return s.tree() }

// clocks is the clock that stands still while the host sleeps.
type clocks struct{ mono time.Time }

func readClocks() clocks { return clocks{mono: time.Now()} }

// until returns the time that the host was awake. The time that it slept is
// not known here: the clock that counts it has no binding.
func (c clocks) until(now clocks) (active, suspended time.Duration) {
	return now.mono.Sub(c.mono), 0
}

func nameItself() {}
