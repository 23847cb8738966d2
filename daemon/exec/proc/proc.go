// Package proc reads facts about processes from the kernel and signals
// exactly the process that was meant.
//
// It owns the notion of identity of a process: a pid alone identifies nothing,
// a pid with its start time does within one boot of the host. It starts and
// waits for nothing, and it never finds a process by name.
//
// Facts are moments: a process may end between two calls. Signal checks the
// identity again while it holds on to the process, so that a reused pid is
// never hit.
package proc

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

// EffectVariable marks every process of an effect: its value is the effect's
// id. It is set by the daemon when the effect starts and inherited from there.
const EffectVariable = "AUTOPILOT_EFFECT"

// ErrGone means that the process does not exist, or that its pid belongs to
// another process by now.
var ErrGone = errors.New("process is gone")

// Process is what identifies a process and places it among others.
type Process struct {
	PID     int
	Parent  int
	Group   int
	Session int
	Start   uint64 // opaque: on Linux clock ticks since boot, elsewhere microseconds
	Zombie  bool   // it has ended and waits for its parent
}

// Same says whether p and q are one process.
func (p Process) Same(q Process) bool { return p.PID == q.PID && p.Start == q.Start }

// Lives says whether p is still there and has not ended. A process that is
// about to end has no environment any more and still counts as live, as its
// files are open.
func Lives(p Process) bool {
	now, err := Read(p.PID)
	return err == nil && now.Same(p) && !now.Zombie
}

// value finds the value of a variable in NUL-separated assignments.
func value(environ []byte, name string) string {
	prefix := []byte(name + "=")
	for len(environ) > 0 {
		entry := environ
		if i := bytes.IndexByte(environ, 0); i >= 0 {
			entry, environ = environ[:i], environ[i+1:]
		} else {
			environ = nil
		}
		if v, ok := bytes.CutPrefix(entry, prefix); ok {
			return string(v)
		}
	}
	return ""
}

// tableBound is how much of a file of the kernel is read. Environments are the
// longest: with the arguments they are kept under a quarter of the stack limit,
// 2 MiB where nobody raised it.
const tableBound = 8 << 20

// readInto reads a whole file of /proc with plain system calls, into buf if it
// fits. The poller and the stat of os.ReadFile would double the cost, and a
// walk over ancestors is on the path of every connection.
func readInto(buf []byte, path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for {
		if n == len(buf) {
			if n >= tableBound {
				return buf[:n], nil
			}
			buf = append(buf, make([]byte, n)...)
		}
		m, err := unix.Read(fd, buf[n:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m == 0 {
			return buf[:n], nil
		}
		n += m
	}
}

// Table reads a table of the kernel: with one call where it is short, as each
// call makes the kernel count anew.
func Table(path string) ([]byte, error) { return readInto(make([]byte, 16<<10), path) }
