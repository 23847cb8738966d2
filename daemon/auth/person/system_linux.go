package person

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"autopilot/daemon/exec/proc"
)

// System is the kernel's own table.
func System() Table { return system{} }

type system struct{}

func (system) Process(pid int) (Process, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	p, err := proc.Read(pid)
	if err != nil {
		return Process{}, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, proc.ErrGone)
	}
	out := Process{PID: p.PID, Parent: p.Parent, Group: p.Group, Start: p.Start}
	out.UID = int(info.Sys().(*syscall.Stat_t).Uid)
	if out.TTY, out.Foreground, err = proc.Terminal(pid); err != nil {
		return Process{}, err
	}
	// Of a process of another user these three are not shown, nor needed: it is
	// no agent of this one.
	out.Program, _ = os.Readlink(filepath.Join(dir, "exe"))
	out.Program = strings.TrimSuffix(out.Program, " (deleted)")
	name, _ := os.ReadFile(filepath.Join(dir, "comm"))
	out.Name = strings.TrimSuffix(string(name), "\n")
	argv, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	if argv = bytes.TrimSuffix(argv, []byte{0}); len(argv) > 0 {
		out.Argv = strings.Split(string(argv), "\x00")
	}
	out.Effect, out.Agent = surroundings(filepath.Join(dir, "environ"))
	return out, nil
}

// surroundings is what the environment that a process was started with says of
// who started it.
func surroundings(file string) (effect, agent string) {
	b, _ := os.ReadFile(file)
	for entry := range bytes.SplitSeq(b, []byte{0}) {
		name, value, _ := strings.Cut(string(entry), "=")
		if name == proc.EffectVariable {
			effect = value
		}
		if by := markedBy(name); by != "" && value != "" {
			agent = by
		}
	}
	return effect, agent
}

func (system) Namespaces(pid int) (Namespaces, error) {
	var n Namespaces
	for _, of := range []struct {
		to   *string
		name string
	}{{&n.User, "user"}, {&n.Mount, "mnt"}, {&n.PID, "pid"}} {
		id, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns", of.name))
		if err != nil {
			return Namespaces{}, fmt.Errorf("read namespaces: %w", err)
		}
		*of.to = id
	}
	return n, nil
}
