package account

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"autopilot/daemon/run/engine"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

const (
	// recheck bounds every wait: ends of limits are wall clock, which may be set,
	// and the host may have slept (Field reports, B-46).
	recheck = 30 * time.Second
	// doWithin is how long a run may take to answer. One that does not is asked
	// again.
	doWithin = 10 * time.Second
)

// Run looks after the accounts until ctx ends: it learns from what was noted,
// lets waiting runs go, and tells runs of an account that lets nobody in.
func (c *Calendar) Run(ctx context.Context) {
	for {
		timer := time.NewTimer(c.round(ctx))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-c.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// never is longer than anything is waited for here.
const never = 24 * time.Hour

// round looks at all accounts that may need it, and says when to look again.
func (c *Calendar) round(ctx context.Context) time.Duration {
	c.mu.Lock()
	ids := slices.Sorted(maps.Keys(c.troubled))
	for id := range c.changed {
		if !c.troubled[id] {
			ids = append(ids, id)
		}
	}
	c.changed = map[string]bool{}
	c.mu.Unlock()
	again := never
	for _, id := range ids {
		if ctx.Err() != nil {
			return never
		}
		again = min(again, c.tend(ctx, id))
	}
	return again
}

// order is a command for a run.
type order struct {
	run string
	cmd engine.Command
}

// tend does what an account needs now, and says when to look at it again.
func (c *Calendar) tend(ctx context.Context, id string) time.Duration {
	b, err := c.open(ctx, id)
	if err != nil {
		c.cfg.Log.Error("look after an account", "account", id, "error", err)
		return recheck
	}
	orders, again := c.settle(ctx, b)
	c.mind(id, again < never)
	b.mu.Unlock()
	for _, o := range orders {
		c.carryOut(ctx, b, o)
	}
	return again
}

// settle learns, and decides on the runs that do not work.
func (c *Calendar) settle(ctx context.Context, b *book) (orders []order, again time.Duration) {
	runs := c.of(b.id)
	slices.SortFunc(runs, func(x, y *run.State) int { return cmp.Compare(x.ID, y.ID) })
	b.owes = false
	for _, s := range runs {
		c.learn(ctx, b, *s, runs)
	}
	b.forget(runs)
	if b.owes {
		return nil, recheck // who waits for what is not stored is not to be let go
	}
	now := c.cfg.Now()
	a := b.now(now)
	again = never
	if a.Troubled() {
		again = recheck
	}
	for _, s := range runs {
		if s.Status != run.Live || s.Stage != run.Ready && s.Stage != run.Judged {
			continue
		}
		answer := folded.Admit(a, b.ask(a, *s, runs), now)
		if answer.Refused && !b.told[s.ID] {
			b.told[s.ID] = true
			orders = append(orders, order{s.ID, engine.AccountFailed{Cause: a.Refused.Cause, Account: b.id, Run: a.Refused.Run}})
		}
		if !b.waits(*s) {
			continue
		}
		again = min(again, recheck)
		if answer.Begin() && now.Before(time.UnixMilli(s.Waiting.UntilMS)) {
			if left := folded.Stagger - time.Since(b.lifted); left > 0 {
				again = min(again, left)
				continue
			}
			b.letIn(*s)
			b.lifted = time.Now()
			orders = append(orders, order{s.ID, engine.Lift{}})
		}
	}
	return orders, again
}

// forget drops what was kept of runs that are over.
func (b *book) forget(runs []*run.State) {
	open := map[string]bool{}
	for _, s := range runs {
		open[s.ID] = true
	}
	gone := func(id string) bool { return !open[id] }
	maps.DeleteFunc(b.let, func(id string, _ entry) bool { return gone(id) })
	maps.DeleteFunc(b.learned, func(id string, _ string) bool { return gone(id) })
	maps.DeleteFunc(b.told, func(id string, _ bool) bool { return gone(id) })
}

// carryOut hands a command to a run. A run that did not take it is looked at
// again.
func (c *Calendar) carryOut(ctx context.Context, b *book, o order) {
	doing, cancel := context.WithTimeout(ctx, doWithin)
	defer cancel()
	_, err := c.cfg.Runs.Do(doing, o.run, o.cmd, c.cfg.Actor, "")
	if err == nil || ctx.Err() != nil {
		return
	}
	if !errors.Is(err, engine.ErrNotWaiting) && !errors.Is(err, engine.ErrOver) {
		c.cfg.Log.Warn("tell a run of its account", "account", b.id, "run", o.run, "error", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch o.cmd.(type) {
	case engine.Lift:
		delete(b.let, o.run)
	case engine.AccountFailed:
		delete(b.told, o.run)
	}
}
