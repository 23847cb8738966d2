package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

const probeStage = "confine-probe"

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

// ownStage is the stages that both systems have: what a person tries, and the probe.
// It returns only if the arguments are those of neither.
func ownStage(args []string) {
	if len(args) != 2 {
		return
	}
	switch args[1] {
	case RunStage:
		os.Exit(run())
	case probeStage:
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

// Probe starts a program that does nothing, confined, and returns what could
// not be enforced. exe is the supervisor's program, in a folder in which a directory
// is made and hidden.
//
// A process of its own does it: who asks for a user namespace is copied with all of
// its memory first, and the caller may be large.
func Probe(ctx context.Context, exe, in string) ([]Lack, error) {
	cmd := exec.CommandContext(ctx, exe, probeStage)
	cmd.Dir, cmd.Env = in, []string{"GOMAXPROCS=1"}
	b, err := cmd.Output()
	var lacking []Lack
	if err == nil {
		err = json.Unmarshal(b, &lacking)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return nil, errors.New(string(bytes.TrimSpace(exit.Stderr)))
	}
	return lacking, err
}

// probe is that process. The folder is its directory.
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
