package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// RunStage is the first argument with which the supervisor's program runs one
// command by a plan, without supervising it: as a person does who tries what a
// command may touch. The Run is JSON on descriptor 3.
const RunStage = "confine-run"

// Run is such a command. Its environment and directory are those of the process.
type Run struct {
	Plan *Plan    `json:"plan"` // nil confines nothing
	Path string   `json:"path"`
	Argv []string `json:"argv"`
}

// run is the stage, and returns the exit code.
func run() int {
	var r Run
	err := json.NewDecoder(os.NewFile(ordersFD, "run")).Decode(&r)
	if err == nil {
		var code int
		if code, err = r.perform(); err == nil {
			return code
		}
	}
	fmt.Fprintln(os.Stderr, "apshim:", err)
	return 1
}

func (r Run) perform() (int, error) {
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if r.Plan == nil {
		return 0, fmt.Errorf("start %s: %w", r.Path, syscall.Exec(r.Path, r.Argv, os.Environ()))
	}
	pid, _, err := Start(*r.Plan, Program{
		Exe: Own, Path: r.Path, Argv: r.Argv, Dir: dir, Env: os.Environ(), Marker: "_=apshim", Files: []uintptr{0, 1, 2},
		Attributes: dependent(), Fork: syscall.ForkExec,
	})
	if err != nil {
		return 0, err
	}
	// Keys reach the program by its terminal.
	signal.Ignore(unix.SIGINT, unix.SIGQUIT)
	status := wait(pid)
	if status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return status.ExitStatus(), nil
}

// Probe starts a program that does nothing, confined, and returns what could
// not be enforced. exe is the supervisor's program, in a folder in which a directory
// is made and hidden.
func Probe(exe, in string) ([]Lack, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	hidden, err := os.MkdirTemp(in, "probe-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(hidden)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	pid, lacking, err := Start(Plan{Hide: []string{hidden}, ReadOnly: []string{"/sys/fs/cgroup"}}, Program{
		Exe: exe, Path: exe, Argv: []string{"apshim"}, Dir: "/", Marker: "_=apshim",
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Attributes: dependent(), Fork: syscall.ForkExec,
	})
	if err != nil {
		return nil, err
	}
	wait(pid)
	return append(lacking, unwritten()...), nil
}

// wait waits for a child to end.
func wait(pid int) (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}
