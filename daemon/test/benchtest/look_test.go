package benchtest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"autopilot/daemon/transport/bus"
)

// What there is to look back on, and how long that may take.
const (
	lookRuns   = 1_000
	lookEvents = 50     // of each run
	longEvents = 10_000 // of one run more
	moreRuns   = 10_000
	moreEvents = 8 // of each of them
	retroGoal  = 5 * time.Second
	reportGoal = 300 * time.Millisecond
	stateGoal  = 50 * time.Millisecond
	lookTurns  = 9
	firstTurns = 5
)

// looks makes the rows of looking back.
func (b *bench) looks(t *table) (err error) {
	p, err := b.places(b.path("look"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(b.path("look-work"), 0o700); err != nil {
		return err
	}
	err = withServer(p, bus.Process, func(nc *nats.Conn) error {
		return errors.Join((&filler{}).fill(nc, lookRuns, lookEvents), (&filler{runs: lookRuns}).fill(nc, 1, longEvents))
	})
	if err != nil {
		return err
	}
	if err := b.retro(t); err != nil {
		return err
	}
	if err := b.firstStates(t); err != nil {
		return err
	}
	d, err := b.startDaemonIn("look")
	if err != nil {
		return err
	}
	err = errors.Join(b.states(t), b.report(t, "look", lookRuns+1), d.stop())
	if err != nil {
		return err
	}
	return b.manyReported(t)
}

// manyReported is report over more runs.
func (b *bench) manyReported(t *table) (err error) {
	p, err := b.places(b.path("many"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(b.path("many-work"), 0o700); err != nil {
		return err
	}
	err = withServer(p, bus.Process, func(nc *nats.Conn) error { return (&filler{}).fill(nc, moreRuns, moreEvents) })
	if err != nil {
		return err
	}
	d, err := b.startDaemonIn("many")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	return b.report(t, "many", moreRuns)
}

// report compares a report on all runs of a state directory with the least that
// is asked of a daemon.
func (b *bench) report(t *table, state string, runs int) error {
	floor, ours, err := turns(lookTurns,
		func() (time.Duration, error) { return b.answers(state, "status", runID(0)) },
		func() (time.Duration, error) { return b.answers(state, "report") })
	if err != nil {
		return fmt.Errorf("apctl report: %w", err)
	}
	t.more(fmt.Sprintf("apctl report over %d runs over status, exec to exit", runs), median(floor), median(ours), reportGoal)
	return nil
}

// firstStates compares the first look at the middle and at the end of a long run
// with a status. A daemon keeps what it has read, so each is asked once.
func (b *bench) firstStates(t *table) error {
	long := runID(lookRuns)
	for _, at := range []int{longEvents / 2, longEvents} {
		asked := func(args ...string) func() (time.Duration, error) {
			return func() (d time.Duration, err error) {
				served, err := b.startDaemonIn("look")
				if err != nil {
					return 0, err
				}
				defer func() { err = errors.Join(err, served.stop()) }()
				return b.answers("look", args...)
			}
		}
		floor, ours, err := turns(firstTurns, asked("status", long), asked("replay", long, "--at", strconv.Itoa(at)))
		if err != nil {
			return fmt.Errorf("apctl replay: %w", err)
		}
		t.more(fmt.Sprintf("state at event %d of %d at first sight over status, exec to exit", at, longEvents), median(floor), median(ours), stateGoal)
	}
	sent, err := b.ask("consume-long", b.path("look"))
	t.note("To be sent those %d events by the server alone takes %s.", sent.Events, ms(sent.Took))
	return err
}

// retro compares a retro of all runs, exec to exit, with reading their events
// and doing nothing with them.
func (b *bench) retro(t *table) error {
	events := 0
	floor, ours, err := turns(3,
		func() (time.Duration, error) {
			s, err := b.ask("consume", b.path("look"))
			events = s.Events
			return s.Took, err
		},
		func() (d time.Duration, err error) {
			served, err := b.startDaemonIn("look")
			if err != nil {
				return 0, err
			}
			defer func() { err = errors.Join(err, served.stop()) }()
			return b.answers("look", "retro", "--since", "7d")
		})
	if err != nil {
		return fmt.Errorf("apctl retro: %w", err)
	}
	t.more(fmt.Sprintf("apctl retro of %d runs, %d events, exec to exit", lookRuns+1, events), median(floor), median(ours), retroGoal)
	return nil
}

// states compares the state of a long run at some event with that at its end.
func (b *bench) states(t *table) error {
	long := runID(lookRuns)
	at := 0
	floor, ours, err := turns(lookTurns,
		func() (time.Duration, error) { return b.answers("look", "status", long) },
		func() (time.Duration, error) {
			at += longEvents / (lookTurns + 1)
			return b.answers("look", "replay", long, "--at", strconv.Itoa(at))
		})
	if err != nil {
		return fmt.Errorf("apctl replay: %w", err)
	}
	t.more(fmt.Sprintf("state at any of %d events over status, exec to exit", longEvents), median(floor), median(ours), stateGoal)
	return nil
}

// answers measures a call of apctl that must succeed.
func (b *bench) answers(state string, args ...string) (time.Duration, error) {
	return took(func() error {
		_, err := output(b.apctlIn(state, args...))
		return err
	})
}
