//go:build !linux

package confine

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
)

// Start starts the program as it is: this system has nothing to confine it
// with. A strict plan starts nothing.
func Start(plan Plan, p Program) (pid int, lacking []Gap, err error) {
	why := runtime.GOOS + " has nothing for it"
	for _, word := range []string{Namespaces, Signals, Sockets, Landlock} {
		lacking = append(lacking, Gap{word, why})
	}
	if plan.needsMounts() {
		return 0, lacking, errors.New("the sandbox cannot be enforced on this host, so nothing was started: " + why)
	}
	pid, err = p.Fork(p.Path, p.Argv, &syscall.ProcAttr{Dir: p.Dir, Env: p.Env, Files: p.Files, Sys: p.Attributes})
	if err != nil {
		err = fmt.Errorf("start %s: %w", p.Path, err)
	}
	return pid, lacking, err
}

// Stage says that there is no stage here but the command of a person.
func Stage(args []string) bool {
	ownStage(args)
	return false
}

func dependent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// unwritten is among what Start lacks.
func unwritten() []Gap { return nil }

const ordersFD = 3

// Version is the version of Landlock: there is none.
func Version() int { return 0 }
