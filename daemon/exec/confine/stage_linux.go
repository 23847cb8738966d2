package confine

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stage says whether the arguments are those of a stage, and if so is that
// stage: it does not return unless the program could not be started. It must be
// called on the main thread.
func Stage(args []string) bool {
	ownStage(args)
	if len(args) != 2 || args[1] != mountsStage && args[1] != programStage {
		return false
	}
	// The program gets nothing of it, nor what somebody left open for the daemon,
	// which may lead to what is hidden. A kernel before 5.11 closes only the first.
	_ = unix.CloseRange(ordersFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	unix.CloseOnExec(ordersFD)
	unix.CloseOnExec(reportFD)
	r := &reporter{os.NewFile(reportFD, "report")}
	o, err := readOrders(ordersFD)
	switch {
	case err != nil:
		r.say(failed, "confine: "+err.Error())
	case args[1] == mountsStage:
		o.mount(r)
	default:
		o.become(r)
	}
	return true
}

// reporter tells the supervisor. Each message is one write, so that those of two
// stages do not mix.
type reporter struct{ to *os.File }

// say can fail only when the supervisor is dead, and then this process is too.
func (r *reporter) say(kind, text string) { _, _ = r.to.Write(message(kind, text)) }

func (r *reporter) lacks(l Gap) { r.say(lacks, l.Word+" "+l.Why) }

// readOrders reads a file that the next stage gets as well. So no os.File owns it: the
// garbage collector would close it under its number.
func readOrders(fd int) (orders, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return orders{}, fmt.Errorf("look at orders: %w", err)
	}
	b := make([]byte, st.Size)
	for at := 0; at < len(b); {
		n, err := unix.Pread(fd, b[at:], int64(at))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return orders{}, fmt.Errorf("read orders: %w", err)
		case n == 0:
			return orders{}, fmt.Errorf("read orders: %w", io.ErrUnexpectedEOF)
		}
		at += max(n, 0)
	}
	return decodeOrders(b)
}

// mount is the first stage.
func (o *orders) mount(r *reporter) {
	// Mounts of the host still arrive, and nothing goes the other way. It is also
	// the first thing that needs a right: some systems give a namespace without.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		r.say(none, fmt.Sprintf("mounts cannot be changed in a namespace: %v", err))
		return
	}
	for _, l := range cover(o.plan) {
		if o.plan.Strict && l.Word != Terminals || l.Word == Layers || l.Word == Sealed {
			r.say(failed, cannot(l).Error())
			return
		}
		r.lacks(l)
	}
	if err := o.next(r); err != nil {
		r.say(none, fmt.Sprintf("a second user namespace: %v", err))
	}
}

// next starts the second stage beside this one: in a user namespace without
// rights over the mounts, and as a child of the supervisor.
func (o *orders) next(r *reporter) error {
	attr := &syscall.SysProcAttr{Setpgid: o.group, Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_PARENT}
	if err := mapUsers(attr); err != nil {
		return err
	}
	pid, err := syscall.ForkExec(Own, []string{"apshim", programStage}, &syscall.ProcAttr{
		Dir: "/", Env: stageEnv(o.marker), Files: []uintptr{0, 1, 2, ordersFD, reportFD}, Sys: attr,
	})
	if err != nil {
		return err
	}
	r.say(begun, strconv.Itoa(pid))
	return nil
}

// become is the second stage.
func (o *orders) become(r *reporter) {
	err := o.dieWithParent()
	if err == nil {
		err = os.Chdir(o.dir)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("directory %s is hidden by the sandbox", o.dir)
		}
	}
	if err != nil {
		r.say(failed, err.Error())
		return
	}
	for _, l := range restrict(o.plan) {
		if o.plan.Strict && l.Word == Landlock {
			r.say(failed, cannot(l).Error())
			return
		}
		r.lacks(l)
	}
	err = syscall.Exec(o.path, o.argv, o.env)
	if errors.Is(err, unix.ENOENT) && o.mounting {
		if _, hidden := os.Lstat(o.path); hidden != nil {
			err = fmt.Errorf("%w, or it is hidden by the sandbox", err)
		}
	}
	r.say(failed, fmt.Sprintf("start %s: %v", o.path, err))
}

// dieWithParent ends this process, and the program after it, with the
// supervisor.
func (o *orders) dieWithParent() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	if os.Getppid() != o.parent {
		return errors.New("confine: the supervisor has ended")
	}
	return nil
}
