package confine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors of a stage beside its standard ones.
const (
	ordersFD = 3
	reportFD = 4
)

// Start starts the program as the plan says and returns its pid. It is a child
// of this process. With an error nothing runs.
//
// It must be called on the main thread, as the program dies with the thread
// that started it.
func Start(plan Plan, p Program) (pid int, lacking []Gap, err error) {
	o := orders{
		plan: plan, path: p.Path, argv: p.Argv, dir: p.Dir, env: p.Env,
		marker: p.Marker, parent: os.Getpid(), mounting: true, group: p.Attributes.Setpgid,
	}
	pid, lacking, err = o.start(p)
	if !errors.Is(err, errNamespaces) {
		return pid, lacking, err
	}
	lack := Gap{Namespaces, err.Error()}
	if plan.needsMounts() {
		return 0, []Gap{lack}, cannot(lack)
	}
	// What Landlock gives needs none.
	o.mounting = false
	pid, lacking, err = o.start(p)
	return pid, append([]Gap{lack}, lacking...), err
}

// dependent are the attributes of a child that ends with its parent.
func dependent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// unwritten is what strict plans lack.
func unwritten() []Gap {
	if v := Version(); v < cuts {
		return []Gap{{Landlock, fmt.Sprintf("the kernel has version %d, writes need %d", v, cuts)}}
	}
	return nil
}

// cannot is the error of a strict plan that is not to be had here.
func cannot(l Gap) error {
	return fmt.Errorf("the sandbox cannot be enforced on this host, so nothing was started: it lacks %s: %s", l.Word, l.Why)
}

// errNamespaces means that a user or mount namespace could not be made.
var errNamespaces = errors.New("no user and mount namespace")

// start runs the stages and reads what they report.
func (o *orders) start(p Program) (int, []Gap, error) {
	sealed, err := o.file()
	if err != nil {
		return 0, nil, fmt.Errorf("confine: %w", err)
	}
	defer unix.Close(sealed)
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return 0, nil, fmt.Errorf("confine: %w", err)
	}
	from := os.NewFile(uintptr(fds[0]), "report")
	defer from.Close()
	attr, stage := *p.Attributes, programStage
	if o.mounting {
		stage = mountsStage
		if err := outer(&attr, o.plan); err != nil {
			unix.Close(fds[1])
			return 0, nil, err
		}
	}
	child, err := p.Fork(p.Exe, []string{"apshim", stage}, &syscall.ProcAttr{
		Dir: "/", Env: stageEnv(p.Marker), Sys: &attr,
		Files: append(slices.Clone(p.Files), uintptr(sealed), uintptr(fds[1])),
	})
	unix.Close(fds[1])
	switch {
	case err != nil && o.mounting:
		return 0, nil, fmt.Errorf("%w: %w", errNamespaces, err)
	case err != nil:
		return 0, nil, fmt.Errorf("confine: start %s: %w", p.Exe, err)
	}
	text, err := io.ReadAll(from) // its end is the program's beginning, or nobody's
	if err != nil {
		text = append(text, message(failed, err.Error())...)
	}
	return o.started(child, text)
}

// file holds the orders in memory.
func (o *orders) file() (int, error) {
	fd, err := unix.MemfdCreate("orders", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, err
	}
	for b := o.encode(); len(b) > 0; {
		n, err := unix.Write(fd, b)
		if err != nil {
			unix.Close(fd)
			return -1, err
		}
		b = b[n:]
	}
	return fd, nil
}

// stageEnv is what a stage needs of an environment.
func stageEnv(marker string) []string { return []string{"GOMAXPROCS=1", marker} }

// Kinds of messages of a stage, each ended by a NUL.
const (
	begun  = "pid"    // of the second stage
	lacks  = "lacks"  // WORD WHY
	failed = "failed" // why the program was not started
	none   = "none"   // why there are no namespaces
)

func message(kind, text string) []byte {
	return []byte(kind + " " + strings.ReplaceAll(text, "\x00", "") + "\x00")
}

// started reads the messages, and takes the leave of the stages that have ended.
func (o *orders) started(child int, text []byte) (int, []Gap, error) {
	pid := child
	if o.mounting {
		pid = 0
	}
	var lacking []Gap
	var err error
	for m := range bytes.SplitSeq(text, []byte{0}) {
		kind, rest, _ := strings.Cut(string(m), " ")
		switch kind {
		case begun:
			_, _ = fmt.Sscan(rest, &pid)
		case lacks:
			word, why, _ := strings.Cut(rest, " ")
			lacking = append(lacking, Gap{word, why})
		case none:
			err = fmt.Errorf("%w: %s", errNamespaces, rest)
		case failed:
			err = errors.New(rest)
		}
	}
	if o.mounting {
		wait(child)
	}
	if pid == 0 && err == nil {
		err = errors.New("confine: the stage that makes the mounts was ended")
	}
	if err != nil && pid != 0 {
		wait(pid)
		pid = 0
	}
	return pid, lacking, err
}
