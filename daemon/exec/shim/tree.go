package shim

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// endTree ends every process of the effect: politely, then finally, until none
// is found or what is left does not die.
func (s *supervisor) endTree(grace time.Duration) {
	if s.settled() {
		return
	}
	s.signalTree(unix.SIGTERM)
	if s.settle(grace) {
		return
	}
	deadline := time.Now().Add(killMost)
	for time.Now().Before(deadline) {
		if !s.signalTree(unix.SIGKILL) && s.settled() {
			return
		}
		s.pause(2 * time.Millisecond)
	}
	var left []int
	for _, p := range s.tree() {
		left = append(left, p.PID)
	}
	s.exit.SetLeft(left)
}

// settled says that no process of the effect lives. Nothing to wait for is the
// kernel's own word for no descendants; a list of /proc is only a hint, as it
// may leave some out while others end.
func (s *supervisor) settled() bool {
	if !s.reap() || len(s.outside()) > 0 {
		return false
	}
	for p := range s.signalled {
		if proc.Lives(proc.Process{PID: p.pid, Start: p.start}) {
			return false
		}
	}
	return true
}

// settle waits up to d for the end of all.
func (s *supervisor) settle(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for !s.settled() {
		rest := time.Until(deadline)
		if rest <= 0 {
			return false
		}
		s.pause(min(rest, 20*time.Millisecond))
	}
	return true
}

// pause waits for d or the end of a child.
func (s *supervisor) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.sigchld:
	}
}

// signalTree sends sig to every process of the effect and says whether it
// found one. A stopped process gets the means to act on it.
func (s *supervisor) signalTree(sig unix.Signal) bool {
	tree := s.tree()
	inGroup := !s.ended && s.child > 0
	if inGroup {
		// At once and before the rest, so that no member forks in between. The
		// group number is ours for as long as the program is not reaped.
		s.count(tree)
		_ = unix.Kill(-s.child, sig) // an empty group is what we want
	}
	for _, p := range tree {
		if inGroup && p.Group == s.child && sig == unix.SIGTERM {
			continue // a second request to end means something else to many programs
		}
		if err := proc.Signal(p, sig); !errors.Is(err, proc.ErrGone) {
			s.count([]proc.Process{p})
		}
	}
	if sig == unix.SIGKILL {
		s.group.Kill(s.self.Start) // and whoever was born since the tree was listed
	}
	if sig == unix.SIGTERM {
		for _, p := range tree {
			_ = proc.Signal(p, unix.SIGCONT) // gone or not ours to signal: the final round sees it
		}
	}
	return len(tree) > 0
}

// count notes the processes that were asked to end, each once.
func (s *supervisor) count(tree []proc.Process) {
	for _, p := range tree {
		s.signalled[identity{p.PID, p.Start}] = true
	}
	s.exit.Killed = len(s.signalled)
}
