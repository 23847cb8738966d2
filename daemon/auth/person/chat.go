package person

import (
	"errors"
	"path"
	"slices"
	"strings"

	"autopilot/daemon/exec/proc"
)

// A chat lives in a process that outlives its calls: that is who it is, whatever
// it calls itself.

// Line lists the caller, its parent and so on up to the first process. Where the
// system shows too little for a proof it shows at least who started whom.
func Line(t Table, c Caller) ([]Process, error) {
	line, err := ancestors(t, c.PID)
	if errors.Is(err, ErrUnsupported) {
		line, err = ancestors(plain{}, c.PID)
	}
	if len(line) == 0 || line[0].Start != c.Start {
		return nil, errors.Join(errors.New("the calling process is gone"), err)
	}
	return line, nil
}

// plain is a table of nothing but pids, parents and start times.
type plain struct{}

func (plain) Process(pid int) (Process, error) {
	p, err := proc.Read(pid)
	return Process{PID: p.PID, Parent: p.Parent, Group: p.Group, Start: p.Start}, err
}

func (plain) Namespaces(int) (Namespaces, error) { return Namespaces{}, ErrUnsupported }

// Chat is the process of a line of ancestors that a chat lives in, with the name
// of its program if that is known: the nearest agent program, or the nearest that
// is known to host chats, else the nearest ancestor that is not there for one
// command alone. The caller is none.
func Chat(line []Process, hosts func(Process) bool) (p Process, program string, ok bool) {
	if len(line) < 2 {
		return Process{}, "", false
	}
	if p, program, ok := hosted(line, hosts); ok {
		return p, program, true
	}
	for _, p := range line[1:] {
		if !passing(p) {
			return p, "", true
		}
	}
	return line[1], "", true
}

// hosted is the nearest ancestor that is an agent program, or is known to host
// chats.
func hosted(line []Process, hosts func(Process) bool) (p Process, program string, ok bool) {
	for _, p := range line[1:] {
		if name, ok := agentProgram(p); ok {
			return p, name, true
		}
		if hosts(p) {
			return p, "", true
		}
	}
	return Process{}, "", false
}

// OfChat says that a chat, and not a person at a shell, stands behind the first
// of a line.
func OfChat(line []Process, hosts func(Process) bool) bool {
	if len(line) == 0 {
		return false
	}
	_, _, ok := hosted(line, hosts)
	return ok || slices.ContainsFunc(line, func(p Process) bool { return p.Agent != "" })
}

// Alive says that a process is still the one that it was.
func Alive(t Table, c Caller) bool {
	p, err := t.Process(c.PID)
	if errors.Is(err, ErrUnsupported) {
		p, err = plain{}.Process(c.PID)
	}
	if err != nil || p.Start != c.Start {
		return false
	}
	now, err := proc.Read(c.PID)
	return err != nil || now.Start != c.Start || !now.Zombie // nobody may have asked how it ended
}

// shells run one command and end, if they are told to.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"}

// wrappers run one command and stay until it has ended.
var wrappers = []string{"timeout", "time", "xargs", "flock", "setsid", "sudo", "doas", "bwrap", "script", "make"}

// passing says that a process is there for one command alone.
func passing(p Process) bool {
	base := path.Base(p.Program)
	if p.Program == "" && len(p.Argv) > 0 {
		base = path.Base(p.Argv[0])
	}
	if slices.Contains(wrappers, base) {
		return true
	}
	if !slices.Contains(shells, base) || len(p.Argv) == 0 {
		return false
	}
	for _, arg := range p.Argv[1:] {
		if !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "--") {
			return false
		}
		if strings.Contains(arg, "c") {
			return true
		}
	}
	return false
}
