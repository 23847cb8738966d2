package claim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/daemon/coord/team"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	lease "autopilot/projections/claim"
)

// shares says that claims of a kind are in the team's log: those on what hosts have
// in common.
func (c *Keeper) shares(k events.ClaimKind) bool {
	return c.Team != nil && k != events.ClaimWorkspace
}

// fresh reads what others have stored of a claim, so that nothing is decided on
// what was.
func (c *Keeper) fresh(ctx context.Context, b *book) error {
	if !c.shares(b.key.Kind) {
		return nil
	}
	return b.record.Refresh(ctx)
}

// awayError says that the team's log, which has a claim, cannot be asked.
type awayError struct {
	key Key
	err error
}

func (e *awayError) Error() string {
	return fmt.Sprintf("the holder of %s is unknown: %v", e.key, e.err)
}

func (e *awayError) Unwrap() error { return e.err }

// busyError says that others have changed a claim again and again meanwhile.
type busyError struct {
	key Key
	err error
}

func (e *busyError) Error() string {
	return fmt.Sprintf("%s was changed by others meanwhile: %v", e.key, e.err)
}

func (e *busyError) Unwrap() error { return e.err }

// lost is an error of a claim, and says if it comes from the team being out of
// reach, or from others who were quicker each time.
func (c *Keeper) lost(k Key, err error) error {
	switch {
	case err == nil || !c.shares(k.Kind):
		return err
	case errors.Is(err, log.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return &awayError{k, err}
	case errors.Is(err, events.ErrMoved):
		return &busyError{k, err}
	}
	return err
}

// within bounds all that is asked of the team for one change of a claim.
func (c *Keeper) within(ctx context.Context, k Key) (context.Context, context.CancelFunc) {
	if !c.shares(k.Kind) {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, team.Within)
}

// Heard takes an event of the team's log, whoever has stored it.
func (c *Keeper) Heard(_ context.Context, st log.Stored) {
	id := st.Event.Aggregate.ID
	n, b, isNew := c.hear(id, st.Event)
	if !isNew {
		return
	}
	if n.state.Held() && n.state.Owner.Host == c.Host && b == nil {
		c.Wake()
	}
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.record == nil || st.Event.Seq <= b.record.Seq() {
		return
	}
	st.Cut = st.Event.Seq > b.record.Seq()+1 // it says all that counts
	b.record.Take(st)
}

// hear folds an event into what is known of a claim. Where events before it are not
// kept, it says all that counts.
func (c *Keeper) hear(id string, e events.Event) (n news, b *book, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, n = c.books[id], c.news[id]
	if e.Seq <= n.state.Log.Seq {
		return n, b, false
	}
	if e.Seq != n.state.Log.Seq+1 {
		n.state = lease.State{Log: chain.From(e.Seq)}
	}
	n.state, n.at = lease.Evolve(n.state, e), time.Now()
	c.news[id] = n
	s := n.state
	if !s.Held() {
		delete(c.known, id)
		delete(c.unread, id)
		return n, b, true
	}
	c.known[id] = claimed{s.Kind, s.Key}
	c.unread[id] = b == nil && s.Owner.Host == c.Host
	return n, b, true
}

// took knows a claim that was just taken from here.
func (c *Keeper) took(k Key, ref events.Ref) {
	c.know(k.ID(), claimed{k.Kind, ref})
}

// heard is a claim of the team as it was heard of; ok is false where that is not known,
// and where the record of the claim is open and knows better.
func (c *Keeper) heard(k Key) (s lease.State, at lease.Sight, ok bool) {
	if !c.shares(k.Kind) {
		return s, at, false
	}
	known := c.Team.Heard()
	c.mu.Lock()
	n, told := c.news[k.ID()]
	b := c.books[k.ID()]
	c.mu.Unlock()
	if !told && !known || b.open() {
		return s, at, false
	}
	return n.state, c.sightOf(n.state, n.at), true
}

// open says that the record of a claim can be looked at now. One that is being changed
// cannot: what was heard is good enough then.
func (b *book) open() bool {
	if b == nil || !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	return b.record != nil
}

// asks bounds how long a caller waits that must not wait.
const asks = time.Second

// Ask is a claim as the servers of the team have it now. Where they do not answer at
// once, it is what was heard of it, with an error if nothing ever was.
func (c *Keeper) Ask(ctx context.Context, k Key) (lease.State, lease.Sight, error) {
	if c.shares(k.Kind) && !c.Team.Lost() {
		asking, cancel := context.WithTimeout(ctx, asks)
		defer cancel()
		b, err := c.open(asking, k, true)
		if err == nil {
			defer b.mu.Unlock()
			if err = c.fresh(asking, b); err == nil || c.Team.Heard() {
				return b.record.State(), c.sight(b), nil
			}
		}
	}
	return c.Peek(ctx, k)
}

// heardOf is when this host has seen the latest event of a claim first.
func (c *Keeper) heardOf(id string, seq uint64) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.news[id]; n.state.Log.Seq == seq && seq > 0 {
		return n.at
	}
	return time.Now()
}

// openOwn reads the claims of the team that are held from here: they are renewed as
// their holders show signs of life, also when another daemon had taken them.
func (c *Keeper) openOwn(ctx context.Context) {
	for _, k := range c.ownUnread(ctx) {
		b, err := c.open(ctx, k, false)
		switch {
		case err != nil && ctx.Err() == nil:
			c.Log.Warn("read a claim of the team", "claim", k.String(), "error", err)
			continue
		case b != nil:
			b.mu.Unlock()
		}
		c.mu.Lock()
		delete(c.unread, k.ID())
		c.mu.Unlock()
	}
}

func (c *Keeper) ownUnread(ctx context.Context) (out []Key) {
	c.mu.Lock()
	todo := map[string]claimed{}
	for id, unread := range c.unread {
		if !unread {
			delete(c.unread, id)
			continue
		}
		todo[id] = c.known[id]
	}
	c.mu.Unlock()
	for id, n := range todo {
		k, err := c.keyOf(ctx, id, n)
		if err != nil {
			c.Log.Warn("read what a claim of the team is about", "claim", id, "error", err)
			continue
		}
		out = append(out, k)
	}
	return out
}
