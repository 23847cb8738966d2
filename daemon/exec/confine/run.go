package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// RunStage is the first argument with which the supervisor's program runs one
// command by a plan, without supervising it: as a person does who tries what a
// command may touch. The Run is JSON on descriptor 3.
const RunStage = "confine-run"

// ProbeStage is the first argument with which it tries, in a folder in which it makes a
// directory, what can be enforced: it prints the list of Gap as JSON.
const ProbeStage = "confine-probe"

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

// ownStage runs the stages that every system has, RunStage and ProbeStage, and ends the
// process. With other arguments it returns.
func ownStage(args []string) {
	if len(args) != 2 {
		return
	}
	switch args[1] {
	case RunStage:
		os.Exit(run())
	case ProbeStage:
		if err := probe(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
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

// probe starts a program that does nothing, confined, and prints what could not be
// enforced. In its directory another one is made and hidden.
func probe() error {
	runtime.LockOSThread() // the child dies with its thread
	self, err := os.Executable()
	if err != nil {
		return err
	}
	hidden, err := filepath.Abs("probe-" + strconv.Itoa(os.Getpid()))
	if err != nil {
		return err
	}
	if err := os.Mkdir(hidden, 0o700); err != nil {
		return err
	}
	defer os.Remove(hidden)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	pid, lacking, err := Start(Plan{Hide: []string{hidden}, ReadOnly: []string{"/sys/fs/cgroup"}}, Program{
		Exe: self, Path: self, Argv: []string{"apshim"}, Dir: "/", Marker: "_=apshim",
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Attributes: dependent(), Fork: syscall.ForkExec,
	})
	if err != nil {
		return err
	}
	wait(pid)
	return json.NewEncoder(os.Stdout).Encode(append(lacking, unwritten()...))
}

// wait waits for a child to end.
func wait(pid int) (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}
