package benchtest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"autopilot/daemon/bus"
)

// What there is to look back on, and how long that may take.
const (
	lookRuns   = 1_000
	lookEvents = 50     // of each run
	longEvents = 10_000 // of one run more
	retroGoal  = 5 * time.Second
	stateGoal  = 50 * time.Millisecond
	lookTurns  = 9
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
	d, err := b.startDaemonIn("look")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	return b.states(t)
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
			return b.answers("retro", "--since", "7d")
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
	first, err := b.answers("replay", long, "--at", strconv.Itoa(longEvents/2))
	if err != nil {
		return fmt.Errorf("apctl replay: %w", err)
	}
	at := 0
	floor, ours, err := turns(lookTurns,
		func() (time.Duration, error) { return b.answers("status", long) },
		func() (time.Duration, error) {
			at += longEvents / (lookTurns + 1)
			return b.answers("replay", long, "--at", strconv.Itoa(at))
		})
	if err != nil {
		return fmt.Errorf("apctl replay: %w", err)
	}
	t.more(fmt.Sprintf("state at any of %d events over status, exec to exit", longEvents), median(floor), median(ours), stateGoal)
	t.note("The first look at such a state took %s.", ms(first))
	return nil
}

// answers measures a call of apctl that must succeed.
func (b *bench) answers(args ...string) (time.Duration, error) {
	return took(func() error {
		_, err := output(b.apctlIn("look", args...))
		return err
	})
}
