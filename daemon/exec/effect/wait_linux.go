package effect

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// pidfd is a supervisor by a descriptor that the runtime's poller watches, so
// that waiting takes no thread.
type pidfd struct {
	file *os.File
	raw  syscall.RawConn
	who  proc.Process
}

// launch starts a supervisor in a session of its own.
func launch(p program, ctl string) (waiter, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	fd := -1
	pid, err := syscall.ForkExec(p.exe(), []string{p.path, ctl}, &syscall.ProcAttr{
		Dir: "/", Env: shimEnv, Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &fd},
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.path, err)
	}
	// It is our child and not waited for yet, so its pid cannot be another's.
	who, err := proc.Read(pid)
	if err != nil {
		who = proc.Process{PID: pid}
	}
	if fd < 0 || unix.SetNonblock(fd, true) != nil {
		return polled{ctl: ctl, who: who, child: true}, nil // a kernel before 5.3
	}
	return newPidfd(fd, who)
}

// watch finds a running supervisor again.
func watch(ctl string, c shim.Claim) (waiter, error) {
	who := proc.Process{PID: c.PID, Start: c.Start}
	if c.PID == 0 {
		return polled{ctl: ctl}, nil
	}
	fd, err := proc.Open(who)
	if err != nil {
		// It has just ended, or it lives where its pid means nothing to us. The
		// lock tells which.
		return polled{ctl: ctl, who: who}, nil
	}
	return newPidfd(fd, who)
}

func newPidfd(fd int, who proc.Process) (waiter, error) {
	file := os.NewFile(uintptr(fd), "pidfd")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("watch supervisor: %w", err)
	}
	return &pidfd{file: file, raw: raw, who: who}, nil
}

func (p *pidfd) wait(ctx context.Context) error {
	// It fails only on a closed file, and then nothing waits on it.
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err := p.raw.Read(func(fd uintptr) bool {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		return err == nil && n == 1
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("watch supervisor: %w", err)
	}
	return p.raw.Control(func(fd uintptr) {
		// Only a child can be reaped; an adopted one is init's.
		_ = unix.Waitid(unix.P_PIDFD, int(fd), nil, unix.WEXITED|unix.WNOHANG, nil)
	})
}

func (p *pidfd) signal(sig unix.Signal) error {
	var sent error
	if err := p.raw.Control(func(fd uintptr) { sent = proc.SignalFD(int(fd), sig) }); err != nil {
		return fmt.Errorf("signal supervisor: %w", err)
	}
	return sent
}

func (p *pidfd) process() (proc.Process, bool) { return p.who, p.who.Start != 0 }

func (p *pidfd) close() { p.file.Close() }
