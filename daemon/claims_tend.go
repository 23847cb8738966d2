package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"autopilot/daemon/claim"
	"autopilot/daemon/engine"
	"autopilot/daemon/person"
	"autopilot/events"
	"autopilot/events/log"
	lease "autopilot/projections/claim"
	"autopilot/projections/run"
)

// Each run has the claim on its work tree while it is live: from before its first
// event until after its last one, also through the end of a daemon.

func ownPID() int { return os.Getpid() }

// ownerAlive says that the process of a session goes on.
func (d *Daemon) ownerAlive(o events.ClaimOwner) bool {
	boot, err := d.cfg.boot()
	return err == nil && boot == o.Boot && o.PID > 0 && person.Alive(d.people, person.Caller{PID: o.PID, Start: uint64(o.Start)})
}

// isLive says that a run is going on.
func (f *fleet) isLive(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.runs[id]
	return m != nil && m.head.Status == run.Live
}

// forRun takes the work tree for a run that is about to begin, or to go on.
// settle is called when that has come to something or to nothing.
func (c *claimKeeper) forRun(ctx context.Context, id, handle, top, cause string) (settle func(), err error) {
	c.mu.Lock()
	c.starting[id] = true
	c.mu.Unlock()
	settle = func() { c.settled(id) }
	_, _, err = c.take(ctx, wish{
		key:   claim.Key{Kind: events.ClaimWorkspace, Scope: top},
		owner: events.ClaimOwner{Host: c.host, Run: id}, who: "run " + handle, ttl: claimTTL,
		actor: events.ActorDaemon(c.host), cause: cause,
	})
	if err != nil {
		settle()
		return nil, err
	}
	return settle, nil
}

func (c *claimKeeper) settled(id string) {
	c.mu.Lock()
	delete(c.starting, id)
	c.mu.Unlock()
	if !c.live(id) {
		c.rouse()
	}
}

// note takes a change of a run. It does not block.
func (c *claimKeeper) note(s run.State) {
	if s.Status != run.Live {
		c.rouse()
	}
}

func (c *claimKeeper) rouse() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake
	}
}

// claimsEvery is how often claims are looked at that nothing is heard of.
const claimsEvery = time.Minute

// Run gives back what runs leave, and renews what they keep, until ctx ends.
func (c *claimKeeper) Run(ctx context.Context) {
	c.openAll(ctx)
	tick := time.NewTicker(claimsEvery)
	defer tick.Stop()
	for {
		c.tend(ctx)
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-tick.C:
		}
	}
}

// openAll reads every claim once: some may be of runs that ended while no daemon
// was there.
func (c *claimKeeper) openAll(ctx context.Context) {
	for _, k := range c.keys(ctx) {
		if c.shares(k.Kind) {
			continue // it is opened when its holder is of this host, or somebody asks
		}
		if b, err := c.open(ctx, k, false); err != nil && ctx.Err() == nil {
			c.log.Error("read a claim", "claim", k.String(), "error", err)
		} else if b != nil {
			b.mu.Unlock()
		}
	}
}

// tend looks at every claim that is held from here.
func (c *claimKeeper) tend(ctx context.Context) {
	c.openOwn(ctx)
	c.each(func(_ string, b *claimBook) {
		err := c.tendOne(ctx, b)
		if c.shares(b.key.Kind) && errors.Is(err, log.ErrUnavailable) {
			return // the team is out of reach, and that was said
		}
		if err != nil && ctx.Err() == nil {
			c.log.Error("tend a claim", "claim", b.key.String(), "of", b.key.Scope, "error", err)
		}
	})
}

func (c *claimKeeper) tendOne(ctx context.Context, b *claimBook) error {
	if err := c.left(ctx, b); err != nil {
		return err
	}
	s := b.record.State()
	standing := s.Standing(c.sight(b))
	switch {
	case !s.Held() || s.Owner.Host != c.host:
		return b.unmark()
	case standing == lease.Stale:
		_, err := b.record.Decide(ctx, func(now lease.State) (events.Data, error) {
			if now.Fence != s.Fence || now.Beat != s.Beat {
				return nil, lease.ErrFence
			}
			return events.ClaimExpired{Fence: s.Fence}, nil
		}, events.ActorDaemon(c.host), "")
		if errors.Is(err, lease.ErrFence) {
			return nil
		}
		return errors.Join(err, b.unmark())
	case s.Owner.Run != "" && c.due(s):
		return c.renew(ctx, b)
	case b.key.Kind == events.ClaimWorkspace && b.mark == nil:
		_, err := c.markFor(ctx, b, wish{who: "a session", ttl: s.TTL})
		return err
	}
	return nil
}

// due says that a claim is to be renewed: long before its time is over, and not
// at every sign of life.
func (c *claimKeeper) due(s lease.State) bool {
	age := c.now().Sub(s.Beat)
	return age >= s.TTL/4 || age < 0
}

func (c *claimKeeper) renew(ctx context.Context, b *claimBook) error {
	fence := b.record.State().Fence
	_, err := b.record.Decide(ctx, func(s lease.State) (events.Data, error) {
		if s.Fence != fence {
			return nil, lease.ErrFence
		}
		return events.ClaimRenewed{Fence: s.Fence, TTLMS: s.TTL.Milliseconds()}, nil
	}, events.ActorDaemon(c.host), "")
	if err == nil && b.mark != nil {
		err = b.mark.Beat(c.now().UTC())
	}
	return err
}

// beats renews what a session has, as it shows a sign of life. gone gives it back.
func (c *claimKeeper) beats(ctx context.Context, is func(events.ClaimOwner) bool, gone bool) (err error) {
	c.each(func(_ string, b *claimBook) {
		s := b.record.State()
		if !s.Held() || s.Owner.Run != "" || !is(s.Owner) {
			return
		}
		switch {
		case c.shares(b.key.Kind) && c.team.Lost():
			// A chat is not to notice: what it has is its own until the time is over.
		case gone:
			_, derr := b.record.Decide(ctx, func(now lease.State) (events.Data, error) { return lease.Drop(now, s.Owner, s.Fence) }, events.ActorDaemon(c.host), "")
			err = errors.Join(err, derr, b.unmark())
		case c.due(s):
			err = errors.Join(err, c.renew(ctx, b))
		}
	})
	return err
}

// close lets go of the marks. What runs that go on have is found again; the rest
// is given back.
func (c *claimKeeper) close(ctx context.Context) {
	c.tend(ctx)
	c.each(func(_ string, b *claimBook) {
		if b.mark != nil {
			if err := b.mark.Keep(); err != nil {
				c.log.Warn("let go of the mark of a work tree", "error", err)
			}
			b.mark = nil
		}
	})
}

// findAgain takes the work trees of live runs, before any of them goes on, and
// answers those that another has meanwhile.
//
// What it marks as starting stays so until served is called.
func (c *claimKeeper) findAgain(ctx context.Context, open []run.State, text func(events.Ref) string) (lost map[string]error) {
	lost = map[string]error{}
	for _, s := range open {
		top := text(s.Facts.Workspace)
		if s.Status != run.Live || top == "" {
			continue
		}
		_, err := c.forRun(ctx, s.ID, s.Facts.Handle, top, "")
		var marked *claim.MarkedError
		switch {
		case errors.As(err, &marked), errors.Is(err, lease.ErrHeld):
			lost[s.ID] = err
		case err != nil:
			c.log.Error("take the work tree of a run again", "run", s.ID, "error", err)
		}
	}
	return lost
}

// served says that every run that was found again is served.
func (c *claimKeeper) served() {
	c.mu.Lock()
	clear(c.starting)
	c.mu.Unlock()
	c.rouse()
}

// stopLost stops the runs whose work trees another has.
func (d *Daemon) stopLost(ctx context.Context, lost map[string]error) {
	for id, why := range lost {
		d.cfg.Log.Error("a run has lost its work tree while no daemon was there, so it halts", "run", id, "error", d.claimFault(why))
		stop := engine.Stop{Mode: events.StopNow, Reason: events.HaltClaimLost, By: d.worker.Text(ctx, d.takerOf(why))}
		if _, err := d.fleet.Do(ctx, id, stop, events.ActorDaemon(d.host), ""); err != nil {
			d.cfg.Log.Error("stop a run", "run", id, "error", err)
		}
	}
}

// takerOf names who has the work tree of a run, for people.
func (d *Daemon) takerOf(why error) string {
	var marked *claim.MarkedError
	var held *heldError
	switch {
	case errors.As(why, &held):
		return d.holderOf(held.state.Owner)
	case errors.As(why, &marked):
		return marked.Info.Who + " of another state directory, " + marked.Info.State
	}
	return ""
}

// hold takes a work tree for a run: within this daemon, then beside others.
func (d *Daemon) hold(ctx context.Context, project, top, id, handle, cause, except string) (release func(), err error) {
	within, err := d.within(project, cause, except)
	if err != nil {
		return nil, err
	}
	settle, err := d.claims.forRun(ctx, id, handle, top, cause)
	if err != nil {
		within()
		return nil, d.offered(err, except)
	}
	return func() { settle(); within() }, nil
}
