package claim

import (
	"context"
	"errors"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/person"
	"autopilot/events"
	"autopilot/events/log"
	lease "autopilot/projections/claim"
	"autopilot/projections/run"
)

// Each run has the claim on its work tree while it is live: from before its first
// event until after its last one, also through the end of a daemon.

// Alive says that the process of a session goes on, on a host of this boot.
func Alive(people person.Table, boot string, o events.ClaimOwner) bool {
	return boot == o.Boot && o.PID > 0 && person.Alive(people, person.Caller{PID: o.PID, Start: uint64(o.Start)})
}

// ForRun takes the work tree for a run that is about to begin, or to go on.
// settle is called when that has come to something or to nothing.
func (c *Keeper) ForRun(ctx context.Context, id, handle, top, cause string) (settle func(), err error) {
	c.mu.Lock()
	c.starting[id] = true
	c.mu.Unlock()
	settle = func() { c.settled(id) }
	_, _, err = c.take(ctx, wish{
		key:   Key{Kind: events.ClaimWorkspace, Scope: top},
		owner: events.ClaimOwner{Host: c.Host, Run: id}, who: "run " + handle, ttl: TTL,
		actor: events.ActorDaemon(c.Host), cause: cause,
	})
	if err != nil {
		settle()
		return nil, err
	}
	return settle, nil
}

func (c *Keeper) settled(id string) {
	c.mu.Lock()
	delete(c.starting, id)
	c.mu.Unlock()
	if !c.Live(id) {
		c.Wake()
	}
}

// Note takes a change of a run. It does not block.
func (c *Keeper) Note(s run.State) {
	if s.Status != run.Live {
		c.Wake()
	}
}

// Wake has it look at all claims soon. It does not block.
func (c *Keeper) Wake() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake
	}
}

// every is how often claims are looked at that nothing is heard of.
const every = time.Minute

// Run gives back what runs leave, and renews what they keep, until ctx ends.
func (c *Keeper) Run(ctx context.Context) {
	c.openAll(ctx)
	tick := time.NewTicker(every)
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
func (c *Keeper) openAll(ctx context.Context) {
	for _, k := range c.Keys(ctx) {
		if c.shares(k.Kind) {
			continue // it is opened when its holder is of this host, or somebody asks
		}
		if b, err := c.open(ctx, k, false); err != nil && ctx.Err() == nil {
			c.Log.Error("read a claim", "claim", k.String(), "error", err)
		} else if b != nil {
			b.mu.Unlock()
		}
	}
}

// tend looks at every claim that is held from here.
func (c *Keeper) tend(ctx context.Context) {
	c.openOwn(ctx)
	c.each(func(_ string, b *book) {
		err := c.tendOne(ctx, b)
		if c.shares(b.key.Kind) && errors.Is(err, log.ErrUnavailable) {
			return // the team is out of reach, and that was said
		}
		if err != nil && ctx.Err() == nil {
			c.Log.Error("tend a claim", "claim", b.key.String(), "of", b.key.Scope, "error", err)
		}
	})
}

func (c *Keeper) tendOne(ctx context.Context, b *book) error {
	if err := c.left(ctx, b); err != nil {
		return err
	}
	s := b.record.State()
	standing := s.Standing(c.sight(b))
	switch {
	case !s.Held() || s.Owner.Host != c.Host:
		return b.unmark()
	case standing == lease.Stale:
		_, err := b.record.Decide(ctx, func(now lease.State) (events.Data, error) {
			if now.Fence != s.Fence || now.Beat != s.Beat {
				return nil, lease.ErrFence
			}
			return events.ClaimExpired{Fence: s.Fence}, nil
		}, events.ActorDaemon(c.Host), "")
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
func (c *Keeper) due(s lease.State) bool {
	age := c.Now().Sub(s.Beat)
	return age >= s.TTL/4 || age < 0
}

func (c *Keeper) renew(ctx context.Context, b *book) error {
	fence := b.record.State().Fence
	_, err := b.record.Decide(ctx, func(s lease.State) (events.Data, error) {
		if s.Fence != fence {
			return nil, lease.ErrFence
		}
		return s.Renewal(s.TTL.Milliseconds()), nil
	}, events.ActorDaemon(c.Host), "")
	if err == nil && b.mark != nil {
		err = b.mark.Beat(c.Now().UTC())
	}
	return err
}

// Beats renews what a chat has, as it shows a sign of life. gone gives it back.
func (c *Keeper) Beats(ctx context.Context, who chat.Chat, gone bool) (err error) {
	ctx, cancel := context.WithTimeout(ctx, beats)
	defer cancel()
	c.each(func(_ string, b *book) {
		s := b.record.State()
		if !s.Held() || !c.Owns(who, s.Owner) {
			return
		}
		switch {
		case c.shares(b.key.Kind) && c.Team.Lost():
			// A chat is not to notice: what it has is its own until the time is over.
		case gone:
			// What cannot be given back now is free when its time is over.
			_, derr := b.record.Decide(ctx, func(now lease.State) (events.Data, error) { return lease.Drop(now, s.Owner, s.Fence) }, events.ActorDaemon(c.Host), "")
			err = errors.Join(err, c.unlessAway(b.key, derr), b.unmark())
		case c.due(s):
			err = errors.Join(err, c.unlessAway(b.key, c.renew(ctx, b)))
		}
	})
	return err
}

// beats bounds a sign of life: the host program of the chat waits for it.
const beats = 2 * time.Second

// unlessAway is an error that does not come from the team being out of reach.
func (c *Keeper) unlessAway(k Key, err error) error {
	var away *awayError
	if errors.As(c.lost(k, err), &away) {
		return nil
	}
	return err
}

// Close lets go of the marks. What runs that go on have is found again; the rest
// is given back.
func (c *Keeper) Close(ctx context.Context) {
	c.tend(ctx)
	c.each(func(_ string, b *book) {
		if b.mark != nil {
			if err := b.mark.Keep(); err != nil {
				c.Log.Warn("let go of the mark of a work tree", "error", err)
			}
			b.mark = nil
		}
	})
}

// FindAgain takes the work trees of live runs, before any of them goes on, and
// answers those that another has meanwhile.
//
// What it marks as starting stays so until Served is called.
func (c *Keeper) FindAgain(ctx context.Context, open []run.State, text func(events.Ref) string) (lost map[string]error) {
	lost = map[string]error{}
	for _, s := range open {
		top := text(s.Facts.Workspace)
		if s.Status != run.Live || top == "" {
			continue
		}
		_, err := c.ForRun(ctx, s.ID, s.Facts.Handle, top, "")
		var marked *MarkedError
		switch {
		case errors.As(err, &marked), errors.Is(err, lease.ErrHeld):
			lost[s.ID] = err
		case err != nil:
			c.Log.Error("take the work tree of a run again", "run", s.ID, "error", err)
		}
	}
	return lost
}

// Served says that every run that was found again is served.
func (c *Keeper) Served() {
	c.mu.Lock()
	clear(c.starting)
	c.mu.Unlock()
	c.Wake()
}
