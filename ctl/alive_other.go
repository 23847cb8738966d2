//go:build !linux

package ctl

import "syscall"

// ProcessRuns says whether a process runs.
func ProcessRuns(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
