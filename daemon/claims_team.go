package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/daemon/claim"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// shares says that claims of a kind are in the team's log: those on what hosts have
// in common.
func (c *claimKeeper) shares(k events.ClaimKind) bool {
	return c.team != nil && k != events.ClaimWorkspace
}

// fresh reads what others have stored of a claim, so that nothing is decided on
// what was.
func (c *claimKeeper) fresh(ctx context.Context, b *claimBook) error {
	if !c.shares(b.key.Kind) {
		return nil
	}
	return b.record.Refresh(ctx)
}

// awayError says that the team's log, which has a claim, cannot be asked.
type awayError struct {
	key claim.Key
	err error
}

func (e *awayError) Error() string {
	return fmt.Sprintf("who holds %s is not known now: %v", e.key, e.err)
}

func (e *awayError) Unwrap() error { return e.err }

// lost is an error of a claim, and says if it comes from the team being out of
// reach.
func (c *claimKeeper) lost(k claim.Key, err error) error {
	if err == nil || !c.shares(k.Kind) || !errors.Is(err, log.ErrUnavailable) {
		return err
	}
	return &awayError{k, err}
}

// awayFault says that a claim of the team is neither taken nor given back.
func (d *Daemon) awayFault(e *awayError) error {
	v := d.team.View()
	why := "does not answer in time"
	if v.Problem != "" {
		why = "cannot be reached since " + v.Since.Format(time.RFC3339) + ": " + v.Problem
	}
	return wire.Errorf(wire.Failed, "who holds %s of %s is not known now, so nothing was changed: the team at %s %s", e.key, d.scopeOf(e.key), v.URL, why).
		WithHint("ask again once it answers; runs and the claims on work trees go on without it\napctl daemon status   says how it stands with the team\napctl doctor          says what may be wrong")
}

// heard takes an event of the team's log, whoever has stored it.
func (c *claimKeeper) heard(_ context.Context, st log.Stored) {
	id := st.Event.Aggregate.ID
	c.mu.Lock()
	b := c.books[id]
	c.news[id] = news{st.Event.Seq, time.Now()}
	if d, ok := st.Event.Data.(events.ClaimAcquired); ok {
		c.known[id] = claimed{d.Kind, d.Key}
		c.unread[id] = b == nil && d.Owner.Host == c.host
	}
	own := c.unread[id]
	c.mu.Unlock()
	if own {
		c.rouse()
	}
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.record != nil {
		b.record.Hear(st)
	}
}

// heardOf is when this host has seen the latest event of a claim first.
func (c *claimKeeper) heardOf(id string, seq uint64) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.news[id]; n.seq == seq && seq > 0 {
		return n.at
	}
	return time.Now()
}

// openOwn reads the claims of the team that are held from here: they are renewed as
// their holders show signs of life, also when another daemon had taken them.
func (c *claimKeeper) openOwn(ctx context.Context) {
	for _, k := range c.ownUnread(ctx) {
		b, err := c.open(ctx, k, false)
		switch {
		case err != nil && ctx.Err() == nil:
			c.log.Warn("read a claim of the team", "claim", k.String(), "error", err)
			continue
		case b != nil:
			b.mu.Unlock()
		}
		c.mu.Lock()
		delete(c.unread, k.ID())
		c.mu.Unlock()
	}
}

func (c *claimKeeper) ownUnread(ctx context.Context) (out []claim.Key) {
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
			c.log.Warn("read what a claim of the team is about", "claim", id, "error", err)
			continue
		}
		out = append(out, k)
	}
	return out
}
