//go:build !linux

package effect

import "autopilot/daemon/exec/proc"

// Orphan is the effect of a process that lost its supervisor and came to this
// process as its new parent.
const Orphan = "orphan"

// adoptOrphans does nothing here: there are no subreapers.
func adoptOrphans() error { return nil }

func (r *Runner) orphans() []proc.Process { return nil }

// Reap does nothing here.
func (r *Runner) Reap() {}

func (r *Runner) isOrphan([]proc.Process) bool { return false }
