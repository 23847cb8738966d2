package proc

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// Read returns the facts about pid, or ErrGone.
func Read(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return Process{}, fmt.Errorf("read process %d: %w", pid, ErrGone)
	}
	return fromKinfo(k), nil
}

func fromKinfo(k *unix.KinfoProc) Process {
	start := k.Proc.P_starttime
	return Process{
		PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid),
		Start:  uint64(start.Sec)*1e6 + uint64(start.Usec),
		Zombie: k.Proc.P_stat == zombie,
	}
}

// Boot names this boot of the host.
func Boot() (string, error) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	return id, nil
}

// Age is how long ago p began; false if it is not known.
func Age(p Process) (time.Duration, bool) {
	age := time.Since(time.UnixMicro(int64(p.Start)))
	return age, age >= 0
}

// Effect is always empty here: macOS does not reliably show the environment of
// a process, so the marker cannot be read back.
func Effect(int) string { return "" }

// Marked finds nothing here, as Effect does not.
func Marked(func(effect string) bool, int) map[string][]Process { return nil }

// Session finds nothing here: the kernel's list has no session numbers.
func Session(int) []Process { return nil }

// OwnCgroup is empty: macOS has no control groups.
func OwnCgroup() Cgroup { return "" }

// CgroupMaker finds nothing: macOS has no control groups.
func CgroupMaker(int) (Process, bool) { return Process{}, false }

// CPU is not known here: the call that tells it has no binding.
func CPU(int) time.Duration { return 0 }

// Group returns the live processes of a process group.
func Group(pgid int) []Process {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", pgid)
	if err != nil {
		return nil
	}
	var found []Process
	for i := range list {
		if p := fromKinfo(&list[i]); !p.Zombie {
			found = append(found, p)
		}
	}
	return found
}

// Signal sends sig to p, or returns ErrGone. Between check and signal the pid
// could be reused: macOS has no descriptor for a process.
func Signal(p Process, sig unix.Signal) error {
	now, err := Read(p.PID)
	if err != nil || !now.Same(p) {
		return fmt.Errorf("signal process %d: %w", p.PID, ErrGone)
	}
	if err := unix.Kill(p.PID, sig); errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal process %d: %w", p.PID, ErrGone)
	} else if err != nil {
		return fmt.Errorf("signal process %d: %w", p.PID, err)
	}
	return nil
}
