package effect

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// Orphan is the effect of a process that lost its supervisor, left session and
// environment behind, and came to this process as its new parent or is still in
// the control group of an effect.
const Orphan = "orphan"

// adoptOrphans makes this process the parent of what a dead supervisor leaves
// behind, whatever that has shed. Without it such a process is the child of
// init, where nothing tells whose it was. Supervisors of an earlier daemon are
// children of init themselves, so it does not reach those.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	return nil
}

// orphans lists the children of this process that it did not start itself, and
// their descendants. What it does start is in its own session (git), or is a
// supervisor, which is told by its program until it is known.
func (r *Runner) orphans() []proc.Process {
	var found []proc.Process
	for _, p := range r.strangers() {
		if !p.Zombie {
			found = append(append(found, p), proc.Descendants(p.PID)...)
		}
	}
	return found
}

func (r *Runner) strangers() []proc.Process {
	if !r.cfg.Orphans {
		return nil
	}
	own, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	var found []proc.Process
	for _, pid := range proc.Children(os.Getpid()) {
		p, err := proc.Read(pid)
		if err != nil || p.Session == own {
			continue
		}
		if _, ok := r.supervised(p); ok || r.starting(pid) {
			continue
		}
		found = append(found, p)
	}
	return found
}

// starting says that a child is a supervisor, or about to become one.
func (r *Runner) starting(pid int) bool {
	exe, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	if err != nil {
		return false
	}
	self, err := os.Stat("/proc/self/exe")
	return r.shim.runs(pid) || err == nil && os.SameFile(exe, self)
}

// Reap takes the leave of orphans that have ended. It is called now and then;
// only one that was seen to have ended at the call before is taken, as all
// others may have a parent here that waits for them.
func (r *Runner) Reap() {
	ended := map[proc.Process]bool{}
	for _, p := range r.strangers() {
		if !p.Zombie {
			continue
		}
		if r.ended[p] {
			_, _ = unix.Wait4(p.PID, nil, unix.WNOHANG, nil)
			continue
		}
		ended[p] = true
	}
	r.ended = ended
}

// isOrphan says whether the first of a line of ancestors came to this process
// as an orphan, or descends from one.
func (r *Runner) isOrphan(line []proc.Process) bool {
	if len(line) == 0 || !r.cfg.Orphans {
		return false
	}
	top := line[len(line)-1]
	own, err := unix.Getsid(0)
	return err == nil && top.Parent == os.Getpid() && top.Session != own
}
