package effect

import (
	"os"

	"autopilot/daemon/exec/proc"
)

// ancestorsMost bounds the walk to the top of the process tree.
const ancestorsMost = 256

// Owner says whether pid belongs to an effect, and to which. It does if one of
// its ancestors is a live supervisor of ours or, failing that, if it or an
// ancestor was started with the marker in its environment, or if it is in the
// control group of an effect. The marker is the word of a process, the others
// are the kernel's: all good enough to take rights away, and never to give any
// beyond those of an effect.
//
// A "no" means only that nothing was found: a process can drop the marker,
// leave the tree and, where it may write there, the control group. On macOS
// only the ancestors are looked at.
func (r *Runner) Owner(pid int) (effect string, ok bool) {
	line := ancestors(pid)
	for _, p := range line {
		if id, ok := r.supervised(p); ok {
			return id, true
		}
	}
	for _, p := range line {
		if id := proc.Effect(p.PID); id != "" {
			return id, true
		}
	}
	if maker, ok := proc.CgroupMaker(pid); ok {
		if id, ok := r.supervised(maker); ok {
			return id, true
		}
		return Orphan, true // its supervisor is dead, or another daemon's
	}
	if r.isOrphan(line) {
		return Orphan, true
	}
	return "", false
}

// supervised returns the effect that p itself supervises.
func (r *Runner) supervised(p proc.Process) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.live[p.PID]
	return s.effect, ok && s.who.Same(p)
}

// ancestors lists pid, its parent and so on. It stops before this process: the
// daemon is never part of an effect.
func ancestors(pid int) []proc.Process {
	var line []proc.Process
	self := os.Getpid()
	for pid > 1 && pid != self && len(line) < ancestorsMost {
		p, err := proc.Read(pid)
		if err != nil {
			break
		}
		line = append(line, p)
		pid = p.Parent
	}
	return line
}
