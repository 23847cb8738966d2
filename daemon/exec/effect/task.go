package effect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/failpoint"
)

// endMost is how long a supervisor gets for the end of its tree on top of the
// grace of the effect. Its own steps take less.
const endMost = 15 * time.Second

// task is one call of Run.
type task struct {
	r       *Runner
	dir     Dir
	spec    shim.Spec
	box     Box
	end     <-chan struct{}
	ending  bool // a receive on end has happened
	started bool // by this call
	seen    bool // a supervisor was at work
}

// perform looks at what is there and does the next thing, until there is an
// exit record. Each step changes what the next look finds.
func (t *task) perform(ctx context.Context) (shim.Exit, error) {
	for {
		ctl, err := t.dir.latest()
		var at state
		if err == nil {
			at, err = look(ctl, t.r.cfg.BootID)
		}
		if err == nil && at.phase == finished {
			return at.exit, nil
		}
		if ctx.Err() != nil {
			return shim.Exit{}, ctx.Err()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && t.seen:
			err = t.deleted()
		case errors.Is(err, fs.ErrNotExist):
			err = t.begin(ctx, t.dir.generation(0))
		case err == nil:
			err = t.step(ctx, ctl, at)
		}
		if err != nil {
			return shim.Exit{}, err
		}
	}
}

func (t *task) step(ctx context.Context, ctl string, at state) error {
	switch at.phase {
	case unclaimed:
		if len(survivors(t.spec.ID, shim.Claim{})) > 0 {
			// It runs. If there still is no claim, that was deleted; else it was
			// only made between the two looks.
			if now, err := look(ctl, t.r.cfg.BootID); err != nil || now.phase != unclaimed {
				return err
			}
			return t.bury(ctl, state{sameBoot: true, why: recordsDeleted})
		}
		return t.abandon(ctl)
	case abandoned:
		if t.started {
			return t.unsupervised(ctl)
		}
		return t.begin(ctx, t.dir.next())
	case held:
		return t.adopt(ctx, ctl, at.claim)
	default:
		return t.bury(ctl, at)
	}
}

// begin writes the intent and starts its supervisor.
func (t *task) begin(ctx context.Context, ctl string) error {
	if t.ended() {
		return t.never(ctl)
	}
	if err := writeIntent(t.dir, ctl, t.spec, t.box); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterIntent)
	w, err := launch(t.r.shim, ctl)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSupervisor, err)
	}
	failpoint.Hit(failpoint.AfterLaunch)
	t.started, t.seen = true, true
	return t.await(ctx, w)
}

// ended says whether the end was asked for.
func (t *task) ended() bool {
	select {
	case <-t.end:
		t.noteEnd()
	default:
	}
	return t.ending
}

func (t *task) noteEnd() { t.ending, t.end = true, nil }

// never records the outcome of an effect that was ended before it began.
func (t *task) never(ctl string) error {
	if err := writeIntent(t.dir, ctl, t.spec, t.box); err != nil {
		return err
	}
	if err := (shim.Claim{Abandoned: true}).Take(ctl); err != nil && !errors.Is(err, shim.ErrTaken) {
		return err
	}
	return t.stoppedEarly(ctl)
}

func (t *task) stoppedEarly(ctl string) error {
	now := time.Now().UTC()
	return shim.WriteExit(ctl, shim.Exit{Outcome: shim.Stopped, Exit: -1, Started: now, Ended: now})
}

// abandon takes the claim of an intent that no supervisor has taken. Whoever
// loses finds out at the next look.
func (t *task) abandon(ctl string) error {
	err := shim.Claim{Abandoned: true}.Take(ctl)
	if errors.Is(err, shim.ErrTaken) {
		return nil
	}
	return err
}

// unsupervised answers for a supervisor that this call started and that ended
// without a claim: a request to end reached it too early, or it is broken.
func (t *task) unsupervised(ctl string) error {
	if _, err := shim.ReadSpec(ctl); err != nil {
		return t.bury(ctl, state{sameBoot: true, why: recordsDeleted})
	}
	if t.ending {
		return t.stoppedEarly(ctl)
	}
	return fmt.Errorf("%w: %s ended before it started the program", ErrSupervisor, t.r.cfg.Shim)
}

// adopt waits for the end of an effect that runs already.
func (t *task) adopt(ctx context.Context, ctl string, c shim.Claim) error {
	w, err := watch(ctl, c)
	if err != nil {
		return err
	}
	t.seen = true
	return t.await(ctx, w)
}

// recordsDeleted is why the outcome of an effect is lost that deleted files of
// ours, as one does that clears its own log.
const recordsDeleted = "the records of the effect were deleted while it ran"

// deleted answers for an effect whose directory is gone after it ran. Nothing
// is there to say so, and beginning again would run it twice.
func (t *task) deleted() error {
	ctl := t.dir.generation(0)
	if err := os.MkdirAll(ctl, 0o700); err != nil {
		return err
	}
	return t.bury(ctl, state{sameBoot: true, why: recordsDeleted})
}

// waiter is a supervisor that can be waited for.
type waiter interface {
	// wait returns nil when the supervisor has ended, or the error of ctx.
	wait(ctx context.Context) error
	signal(sig unix.Signal) error
	process() (proc.Process, bool)
	close()
}

// await waits for the end of a supervisor and passes a request to end on to it.
func (t *task) await(ctx context.Context, w waiter) error {
	if p, ok := w.process(); ok {
		t.r.setLive(t.spec.ID, p)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- w.wait(ctx) }()
	err := t.awaitEnd(w, done)
	cancel()
	w.close()
	if err == nil {
		t.r.dropLive(t.spec.ID)
	}
	return err
}

func (t *task) awaitEnd(w waiter, done <-chan error) error {
	var hard <-chan time.Time
	if t.ending {
		hard = t.askEnd(w)
	}
	for {
		select {
		case err := <-done:
			return err
		case <-t.end:
			t.noteEnd()
			hard = t.askEnd(w)
		case <-hard:
			// It hangs. Without it the next look finds no record and ends the tree.
			hard = nil
			if err := w.signal(unix.SIGKILL); err != nil && !errors.Is(err, proc.ErrGone) {
				return errors.Join(err, fmt.Errorf("the supervisor did not end its tree within %v", endMost))
			}
		}
	}
}

// askEnd asks the supervisor to end its tree.
func (t *task) askEnd(w waiter) <-chan time.Time {
	_ = w.signal(unix.SIGTERM) // the waiting sees one that is gone, and the clock one that cannot be asked
	return time.After(t.spec.GraceOrDefault() + endMost)
}

// bury ends what is left of an effect whose supervisor died, and records that
// its outcome is lost.
func (t *task) bury(ctl string, at state) error {
	exit := shim.Exit{Outcome: shim.Lost, Exit: -1, Ended: time.Now().UTC(), Error: at.why}
	if t.ending {
		exit.Outcome = shim.Stopped
	}
	if at.sameBoot {
		killed, left := t.r.hunt(t.spec.ID, at.claim)
		exit.Killed = killed
		exit.SetLeft(left)
	}
	t.r.dropLive(t.spec.ID)
	if shim.HasExit(ctl) {
		return nil // its supervisor lived after all, and has told more than we know
	}
	return shim.WriteExit(ctl, exit)
}
