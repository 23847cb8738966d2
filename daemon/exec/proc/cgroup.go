package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Cgroup is a control group of the unified hierarchy, by its directory. A
// process is in the group of its parent whatever session and environment it
// gives itself. Empty is none, and all that is asked of it finds nothing.
type Cgroup string

// cgroupPrefix begins the name of every group that a supervisor makes.
const cgroupPrefix = "autopilot-"

// Child names the group that a supervisor makes below its own. The name says
// whose it is, so that nobody takes one away that is about to be used.
func (c Cgroup) Child(p Process) Cgroup {
	if c == "" {
		return ""
	}
	return Cgroup(filepath.Join(string(c), fmt.Sprintf("%s%d-%d", cgroupPrefix, p.PID, p.Start)))
}

// Maker is the supervisor, by pid and start time, that a group is named for.
func (c Cgroup) Maker() (p Process, ok bool) {
	name, ok := strings.CutPrefix(filepath.Base(string(c)), cgroupPrefix)
	if !ok {
		return Process{}, false
	}
	pid, start, _ := strings.Cut(name, "-")
	var errs [2]error
	p.PID, errs[0] = strconv.Atoi(pid)
	p.Start, errs[1] = strconv.ParseUint(start, 10, 64)
	return p, errs == [2]error{} && p.PID > 0
}

// Parent is the group above.
func (c Cgroup) Parent() Cgroup {
	if c == "" {
		return ""
	}
	return Cgroup(filepath.Dir(string(c)))
}

// Make makes the group and returns a descriptor that stands for it.
func (c Cgroup) Make() (int, error) {
	if err := os.Mkdir(string(c), 0o755); err != nil {
		return -1, fmt.Errorf("make control group: %w", err)
	}
	fd, err := unix.Open(string(c), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		c.Remove()
		return -1, fmt.Errorf("make control group: %w", err)
	}
	return fd, nil
}

// Members lists the live processes of the group and of all below it. Those
// that began before since are left out: one cannot be born into a group that
// is not there yet, so somebody moved it in.
func (c Cgroup) Members(since uint64) []Process {
	var found []Process
	for _, p := range c.members() {
		if p.Start >= since {
			found = append(found, p)
		}
	}
	return found
}

func (c Cgroup) members() []Process {
	if c == "" || !c.populated() {
		return nil
	}
	var found []Process
	// Not of a group of threads: its processes are in the list of one above.
	b, _ := c.read("cgroup.procs")
	for _, f := range bytes.Fields(b) {
		pid, err := strconv.Atoi(string(f))
		if err != nil || pid <= 0 { // 0 is one that this pid namespace does not show
			continue
		}
		if p, err := Read(pid); err == nil && !p.Zombie {
			found = append(found, p)
		}
	}
	for _, below := range c.below() {
		found = append(found, below.members()...)
	}
	return found
}

// populated says whether a live process is in the group or below it.
func (c Cgroup) populated() bool {
	b, err := c.read("cgroup.events")
	return err == nil && bytes.Contains(b, []byte("populated 1"))
}

func (c Cgroup) read(name string) ([]byte, error) {
	var buf [1024]byte
	return readInto(buf[:], filepath.Join(string(c), name))
}

func (c Cgroup) below() []Cgroup {
	entries, err := os.ReadDir(string(c))
	if err != nil {
		return nil
	}
	var found []Cgroup
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, Cgroup(filepath.Join(string(c), e.Name())))
		}
	}
	return found
}

// Kill ends all processes of the group and below it at once, also those that
// are just being forked. It does nothing if one of them began before since,
// as that one is not the group's to end, or where the kernel cannot do it.
func (c Cgroup) Kill(since uint64) {
	for _, p := range c.members() {
		if p.Start < since {
			return
		}
	}
	if c == "" {
		return
	}
	// Not os.WriteFile: that would make the file if it were missing.
	f, err := os.OpenFile(filepath.Join(string(c), "cgroup.kill"), os.O_WRONLY, 0)
	if err != nil {
		return // a kernel before 5.14
	}
	defer f.Close()
	_, _ = f.WriteString("1") // whoever lives on is found by the next look
}

// Remove takes the group away, and all below it, as far as they are empty.
func (c Cgroup) Remove() {
	if c == "" || unix.Rmdir(string(c)) == nil {
		return
	}
	for _, below := range c.below() {
		below.Remove()
	}
	_ = unix.Rmdir(string(c)) // one with a process in it stays, and is seen again
}

// Sweep removes the groups below c whose supervisors are gone, if they are
// empty.
func (c Cgroup) Sweep() {
	if c == "" {
		return
	}
	for _, below := range c.below() {
		if maker, ok := below.Maker(); ok && !Lives(maker) && !below.populated() {
			below.Remove()
		}
	}
}

// CPU is the CPU time that the group has used, with that of the processes that
// have ended.
func (c Cgroup) CPU() (used time.Duration, ok bool) {
	if c == "" {
		return 0, false
	}
	b, err := c.read("cpu.stat")
	if err != nil {
		return 0, false
	}
	us, ok := Count(b, "usage_usec")
	return time.Duration(us) * time.Microsecond, ok
}

// Count finds a number by its name in the lines of a kernel's table.
func Count(table []byte, name string) (n uint64, ok bool) {
	for line := range bytes.Lines(table) {
		f := bytes.Fields(line)
		if len(f) == 2 && string(f[0]) == name {
			n, err := strconv.ParseUint(string(f[1]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
