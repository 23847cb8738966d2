package effect

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// pollEvery is how often a supervisor is looked at where nothing reports its
// end.
const pollEvery = 50 * time.Millisecond

// shimEnv is the environment of a supervisor: nothing of ours may leak into
// it, and it needs one thread of Go code.
var shimEnv = []string{"GOMAXPROCS=1"}

// polled is a supervisor that is asked about again and again: by its lock, or
// by the kernel if it is our child.
type polled struct {
	ctl   string
	who   proc.Process
	child bool
}

func (p polled) wait(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		ended, err := p.ended()
		if ended || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (p polled) ended() (bool, error) {
	if p.child {
		// Not by the lock: the supervisor may not have taken it yet.
		pid, err := unix.Wait4(p.who.PID, nil, unix.WNOHANG, nil)
		return pid == p.who.PID || errors.Is(err, unix.ECHILD), nil
	}
	lives, err := shim.Held(p.ctl)
	return !lives, err
}

func (p polled) signal(sig unix.Signal) error { return proc.Signal(p.who, sig) }

func (p polled) process() (proc.Process, bool) { return p.who, p.who.Start != 0 }

func (p polled) close() {}
