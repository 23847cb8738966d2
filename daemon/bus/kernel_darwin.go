package bus

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startTime is microseconds since 1970.
func startTime(pid int) (uint64, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	t := k.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec), nil
}

func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// peer is the process that connected, as the kernel saw it. There is no pidfd
// here: a pid can have been used again, so identity by ancestry is advisory.
type peer struct {
	pid, uid int
}

func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, fmt.Errorf("read peer: %w", err)
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return peer{}, fmt.Errorf("read pid of peer: %w", err)
	}
	return peer{pid: pid, uid: int(c.Uid)}, nil
}

func (peer) alive() bool { return true }

func (peer) close() {}
