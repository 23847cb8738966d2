package person

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
)

// Process is what the rules look at of one process.
type Process struct {
	PID        int
	Parent     int    // 0 for the first process of the namespace
	Group      int    // process group
	Start      uint64 // grows; with PID it identifies the process
	UID        int
	TTY        int      // number of the controlling terminal, 0 for none
	Foreground int      // process group in the foreground there
	Program    string   // path of the executable; empty where it is not shown
	Name       string   // as the process calls itself
	Argv       []string // empty where it is not shown
	Effect     string   // that its environment names
	Agent      string   // program that its environment says it was started from within
}

// Namespaces are the identities of the namespaces that a process lives in.
type Namespaces struct{ User, Mount, PID string }

// Table is what is known of the processes of this host.
type Table interface {
	// Process is the process with that pid, now. ErrUnsupported says that the
	// system does not show enough of it.
	Process(pid int) (Process, error)
	Namespaces(pid int) (Namespaces, error)
}

// ErrUnsupported says that nobody can be proven on this system.
var ErrUnsupported = errors.New("this system does not show enough of a process to prove a person at a terminal")

// Caller is the process that asks, as it was when it connected.
type Caller struct {
	PID   int
	Start uint64
}

// Daemon is what the rules know of the daemon.
type Daemon struct {
	PID   int
	UID   int
	Owner func(pid int) (effect string, ok bool) // whether a process or an ancestor of it belongs to an effect
}

// Proof is a proven person.
type Proof struct {
	Assurance events.Assurance
	TTY       string // as in pts/3
}

// Refusal says why nobody is proven.
type Refusal struct{ Reasons []string }

func (r *Refusal) Error() string { return strings.Join(r.Reasons, "; ") }

// ancestorsMost bounds the walk to the first process.
const ancestorsMost = 256

// Prove says whether the caller is a person's process. The error is a *Refusal
// with every reason against it.
func Prove(t Table, d Daemon, c Caller) (Proof, error) {
	line, broken := ancestors(t, c.PID)
	if errors.Is(broken, ErrUnsupported) {
		return Proof{}, &Refusal{[]string{ErrUnsupported.Error()}}
	}
	if len(line) == 0 || line[0].Start != c.Start {
		return Proof{}, &Refusal{[]string{"the calling process is gone"}}
	}
	reasons := slices.Concat(atTerminal(line[0], d), inNamespaces(t, d, c), ofNobody(line, d))
	if broken != nil {
		reasons = append(reasons, "its parent processes cannot be read: "+broken.Error())
	}
	// All that was read is about the caller only if it was there all along.
	if now, err := t.Process(c.PID); err != nil || now.Start != c.Start {
		reasons = append(reasons, "the calling process has ended")
	}
	if len(reasons) > 0 {
		return Proof{}, &Refusal{reasons}
	}
	return Proof{events.AssuredTTY, TerminalName(line[0].TTY)}, nil
}

// ancestors lists pid, its parent and so on up to the first process. The error
// says where the line breaks off.
func ancestors(t Table, pid int) ([]Process, error) {
	var line []Process
	for pid > 0 {
		p, err := t.Process(pid)
		if err != nil {
			return line, err
		}
		if n := len(line); n > 0 && p.Start > line[n-1].Start {
			return line, fmt.Errorf("process %d is younger than its child", pid)
		}
		if len(line) == ancestorsMost {
			return line, fmt.Errorf("more than %d", ancestorsMost)
		}
		line = append(line, p)
		pid = p.Parent
	}
	return line, nil
}

func atTerminal(p Process, d Daemon) []string {
	var reasons []string
	if p.UID != d.UID {
		reasons = append(reasons, "it belongs to another user")
	}
	switch {
	case p.TTY == 0:
		reasons = append(reasons, "it has no terminal")
	case p.Foreground != p.Group:
		reasons = append(reasons, "it is not in the foreground of its terminal")
	}
	return reasons
}

func inNamespaces(t Table, d Daemon, c Caller) []string {
	own, err := t.Namespaces(d.PID)
	if err != nil {
		return []string{"the daemon's namespaces cannot be read"}
	}
	if theirs, err := t.Namespaces(c.PID); err != nil || theirs != own {
		return []string{"it is not in the namespaces of the daemon"}
	}
	return nil
}

// ofNobody says who else stands behind the first of a line.
func ofNobody(line []Process, d Daemon) []string {
	if effect, ok := d.Owner(line[0].PID); ok {
		return []string{"autopilot started it (" + effect + ")"}
	}
	for _, p := range line {
		name, agent := agentProgram(p)
		switch {
		case p.Effect != "":
			return []string{"autopilot started it (" + p.Effect + ")"}
		case p.PID == d.PID, isOurs(p):
			return []string{"a daemon of autopilot is among its ancestors"}
		case agent:
			return []string{"an agent program is among its ancestors: " + name}
		case p.Agent != "":
			return []string{"it was started from within an agent program: " + p.Agent}
		}
	}
	return nil
}
