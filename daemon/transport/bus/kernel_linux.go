package bus

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// peer is the process that connected, as the kernel saw it.
type peer struct {
	pid, uid int
	pidfd    int // -1 where the kernel has none
}

func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, fmt.Errorf("read peer: %w", err)
	}
	p := peer{pid: int(c.Pid), uid: int(c.Uid), pidfd: -1}
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	switch {
	case err == nil:
		unix.CloseOnExec(pidfd)
		p.pidfd = pidfd
	case !errors.Is(err, unix.ENOPROTOOPT):
		// The kernel knows the option but has no such process any more.
		return peer{}, fmt.Errorf("read peer %d: %w", p.pid, err)
	}
	return p, nil
}

// alive reports whether the process still exists. Only then does its pid name
// it, and what was read about that pid is about it.
func (p peer) alive() bool {
	if p.pidfd < 0 {
		return true
	}
	fds := []unix.PollFd{{Fd: int32(p.pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 0
		}
	}
}

func (p peer) close() {
	if p.pidfd >= 0 {
		_ = unix.Close(p.pidfd)
	}
}
