package proctest

import (
	"errors"
	"os"

	"autopilot/daemon/auth/person"
)

// Seat is a table of processes in which one, SeatPID, sits at the terminal pts/3,
// unless it is away.
type Seat struct{ Away bool }

// The process that sits there, and when it was started.
const (
	SeatPID   = 4711
	SeatStart = 99
)

// Process implements person.Table.
func (s Seat) Process(pid int) (person.Process, error) {
	if pid != SeatPID {
		return person.Process{}, errors.New("process is gone")
	}
	p := person.Process{PID: pid, Group: pid, Start: SeatStart, UID: os.Getuid(), TTY: 136<<8 | 3, Foreground: pid}
	if s.Away {
		p.TTY, p.Foreground = 0, -1
	}
	return p, nil
}

// Namespaces implements person.Table.
func (Seat) Namespaces(int) (person.Namespaces, error) { return person.Namespaces{}, nil }
