package effect

import (
	"fmt"
	"os"
	"syscall"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// launch starts a supervisor in a session of its own.
func launch(p program, ctl string) (waiter, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	pid, err := syscall.ForkExec(p.exe(), []string{p.path, ctl}, &syscall.ProcAttr{
		Dir: "/", Env: shimEnv, Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.path, err)
	}
	who, err := proc.Read(pid)
	if err != nil {
		who = proc.Process{PID: pid}
	}
	return polled{ctl: ctl, who: who, child: true}, nil
}

// watch finds a running supervisor again.
func watch(ctl string, c shim.Claim) (waiter, error) {
	return polled{ctl: ctl, who: proc.Process{PID: c.PID, Start: c.Start}}, nil
}
