package proc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Read returns the facts about pid, or ErrGone.
func Read(pid int) (Process, error) {
	var buf [1024]byte
	b, err := readInto(buf[:], "/proc/"+strconv.Itoa(pid)+"/stat")
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, ErrGone)
	}
	p, err := parseStat(b)
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return p, nil
}

// Terminal returns the number of the controlling terminal of pid, 0 for none,
// and the process group that is in the foreground there; or ErrGone.
func Terminal(pid int) (tty, foreground int, err error) {
	var buf [1024]byte
	b, err := readInto(buf[:], "/proc/"+strconv.Itoa(pid)+"/stat")
	if err != nil {
		return 0, 0, fmt.Errorf("read process %d: %w", pid, ErrGone)
	}
	_, f, err := statFields(b)
	if err == nil {
		tty, err = strconv.Atoi(string(f[4]))
	}
	if err == nil {
		foreground, err = strconv.Atoi(string(f[5]))
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read terminal of process %d: %w", pid, err)
	}
	return tty, foreground, nil
}

// statFields splits one line of /proc/PID/stat into the pid and what follows
// the name. The name is in parentheses and may itself hold spaces and
// parentheses, so the fields are counted from the last one that closes.
func statFields(b []byte) (pid []byte, rest [][]byte, err error) {
	open, shut := bytes.IndexByte(b, ' '), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open {
		return nil, nil, errors.New("stat: no name")
	}
	f := bytes.Fields(b[shut+1:])
	if len(f) < 20 {
		return nil, nil, errors.New("stat: too few fields")
	}
	return b[:open], f, nil
}

func parseStat(b []byte) (Process, error) {
	pid, f, err := statFields(b)
	if err != nil {
		return Process{}, err
	}
	var p Process
	p.Zombie = f[0][0] == 'Z' || f[0][0] == 'X'
	for _, n := range []struct {
		to   *int
		text []byte
	}{{&p.PID, pid}, {&p.Parent, f[1]}, {&p.Group, f[2]}, {&p.Session, f[3]}} {
		v, err := strconv.Atoi(string(n.text))
		if err != nil {
			return Process{}, fmt.Errorf("stat: %w", err)
		}
		*n.to = v
	}
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	if err != nil {
		return Process{}, fmt.Errorf("stat: %w", err)
	}
	p.Start = start
	return p, nil
}

// Boot names this boot of the host.
func Boot() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	return string(bytes.TrimSpace(b)), nil
}

// ticks are those of a second in /proc: USER_HZ, which is 100 on every architecture
// that Go runs on.
const ticks = 100

// Age is how long ago p began, suspended time included; false if it is not known.
func Age(p Process) (time.Duration, bool) {
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil || p.Start > math.MaxInt64/uint64(time.Second) {
		return 0, false
	}
	age := time.Duration(up.Nano()) - time.Duration(p.Start)*(time.Second/ticks)
	return age, age >= 0
}

// Effect returns the effect that the environment of pid names, or "". It is
// the environment that the program was started with, and unreadable ones, of
// other users, count as empty.
func Effect(pid int) string {
	var buf [8192]byte
	return effectOf(buf[:], strconv.Itoa(pid))
}

func effectOf(buf []byte, pid string) string {
	b, err := readInto(buf, "/proc/"+pid+"/environ")
	if err != nil {
		return ""
	}
	return value(b, EffectVariable)
}

// Marked returns the live processes with pids above after whose environment
// names an effect that match accepts, this process excluded, by effect.
func Marked(match func(effect string) bool, after int) map[string][]Process {
	found := map[string][]Process{}
	buf := make([]byte, 8192)
	self := os.Getpid()
	for _, pid := range pidsAfter(after) {
		if pid == self {
			continue
		}
		effect := effectOf(buf, strconv.Itoa(pid))
		if effect == "" || !match(effect) {
			continue
		}
		if p, err := Read(pid); err == nil && !p.Zombie {
			found[effect] = append(found[effect], p)
		}
	}
	return found
}

// Latest is the pid that was given out last, 0 if that is not known.
func Latest() int {
	var buf [128]byte
	b, err := readInto(buf[:], "/proc/loadavg")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0
	}
	pid, err := strconv.Atoi(string(f[len(f)-1]))
	if err != nil {
		return 0
	}
	return pid
}

// Session returns the live processes of a session.
func Session(sid int) []Process {
	var found []Process
	for _, pid := range pids() {
		if p, err := Read(pid); err == nil && p.Session == sid && !p.Zombie {
			found = append(found, p)
		}
	}
	return found
}

// Descendants returns the live children of pid, their children, and so on. The
// kernel may leave some out while others end, so "none" is only a fact when
// pid also has nothing to wait for.
func Descendants(pid int) []Process {
	var found []Process
	seen := map[int]bool{pid: true}
	queue := []int{pid}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, child := range Children(next) {
			if seen[child] {
				continue
			}
			seen[child] = true
			queue = append(queue, child)
			if p, err := Read(child); err == nil && !p.Zombie {
				found = append(found, p)
			}
		}
	}
	return found
}

// Children lists the pids of the children of a process.
func Children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	var found []int
	buf := make([]byte, 4096)
	for _, task := range numbers(dir) {
		b, err := readInto(buf, dir+"/"+strconv.Itoa(task)+"/children")
		if err != nil {
			continue
		}
		for _, f := range bytes.Fields(b) {
			if n, err := strconv.Atoi(string(f)); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

// Signal sends sig to p and to no other process, or returns ErrGone.
func Signal(p Process, sig unix.Signal) error {
	fd, err := Open(p)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return SignalFD(fd, sig)
}

// Open returns a descriptor that stands for p. It becomes readable when p ends.
func Open(p Process) (int, error) {
	fd, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) {
		return -1, fmt.Errorf("open process %d: %w", p.PID, ErrGone)
	}
	if err != nil {
		return -1, fmt.Errorf("open process %d: %w", p.PID, err)
	}
	// Only now is the pid held, so only now does its start time say who it is.
	if now, err := Read(p.PID); err != nil || !now.Same(p) {
		unix.Close(fd)
		return -1, fmt.Errorf("open process %d: %w", p.PID, ErrGone)
	}
	return fd, nil
}

// SignalFD sends sig to the process that the descriptor stands for.
func SignalFD(fd int, sig unix.Signal) error {
	err := unix.PidfdSendSignal(fd, sig, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal process: %w", ErrGone)
	}
	if err != nil {
		return fmt.Errorf("signal process: %w", err)
	}
	return nil
}

// fewPIDs is up to how many numbers are tried out before /proc is listed: a
// listing makes the kernel look at every process.
const fewPIDs = 128

func pidsAfter(after int) []int {
	if latest := Latest(); after > 0 && latest > after && latest-after <= fewPIDs {
		var found []int
		for pid := after + 1; pid <= latest; pid++ {
			found = append(found, pid)
		}
		return found
	}
	return slices.DeleteFunc(pids(), func(pid int) bool { return pid <= after })
}

func pids() []int { return numbers("/proc") }

func numbers(dir string) []int {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	// A partial listing is used as it is: callers repeat until nothing is found.
	names, _ := f.Readdirnames(-1)
	found := make([]int, 0, len(names))
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			found = append(found, n)
		}
	}
	return found
}
