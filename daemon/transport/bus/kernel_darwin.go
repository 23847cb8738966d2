package bus

import (
	"fmt"

	"golang.org/x/sys/unix"
)

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
