package bus

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holders are the processes of this host that have, or could have, the far end
// of a connection; none if it is on another host or another user's. Of a process
// that does not let itself be looked at, as that of sshd, it is not known what
// it has: where nobody else has the connection they are all named.
func holders(far, near netip.AddrPort, uid int) ([]int, error) {
	end, err := findEnd("/proc/self/net/tcp", far, near)
	if err == nil && !end.here {
		// A client may use IPv6 for both; a host may have none.
		if end, err = findEnd("/proc/self/net/tcp6", far, near); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the other end of a connection: %w", err)
	case !end.here && far.Addr().IsLoopback(), end.here && end.inode == 0:
		return nil, errUnknownPeer // closed meanwhile
	case !end.here, end.uid != uid:
		return nil, nil
	}
	return holdersOf(end.inode, uid)
}

// farEnd is a socket of this host.
type farEnd struct {
	here  bool
	uid   int
	inode uint64
}

// findEnd looks in a table of the kernel's, see proc_net_tcp in its documentation.
func findEnd(table string, local, remote netip.AddrPort) (end farEnd, err error) {
	f, err := os.Open(table)
	if err != nil {
		return end, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // the heading
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		if len(w) < 10 || tableAddr(w[1]) != local || tableAddr(w[2]) != remote {
			continue
		}
		end.here = true
		if end.uid, err = strconv.Atoi(w[7]); err != nil {
			return end, err
		}
		end.inode, err = strconv.ParseUint(w[9], 10, 64)
		return end, err
	}
	return end, lines.Err()
}

// tableAddr reads an address as 0100007F:1F90: words of 32 bits in the order of
// the host, and the port. One that cannot be read is none.
func tableAddr(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(host)
	n, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil || len(b)%4 != 0 {
		return netip.AddrPort{}
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	a, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n))
}

func holdersOf(inode uint64, uid int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	want := fmt.Sprintf("socket:[%d]", inode)
	var known, closed []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		switch has, err := holds(pid, want); {
		case has:
			known = append(known, pid)
		case errors.Is(err, fs.ErrPermission) && realUID(pid) == uid:
			closed = append(closed, pid)
		}
	}
	if len(known) == 0 {
		return closed, nil
	}
	return known, nil
}

func holds(pid int, want string) (bool, error) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, fd := range fds {
		to, err := os.Readlink(dir + "/" + fd.Name())
		if err == nil && to == want {
			return true, nil
		}
		if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
			return false, fs.ErrPermission
		}
	}
	return false, nil
}

// realUID is the user of a process, -1 where it has ended.
func realUID(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return -1
	}
	_, rest, _ := strings.Cut(string(b), "\nUid:\t")
	text, _, _ := strings.Cut(rest, "\t")
	uid, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return uid
}
