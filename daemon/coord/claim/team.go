package claim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/events"
	"autopilot/events/log"
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

// lost is an error of a claim, and says if it comes from the team being out of
// reach.
func (c *Keeper) lost(k Key, err error) error {
	if err == nil || !c.shares(k.Kind) || !errors.Is(err, log.ErrUnavailable) {
		return err
	}
	return &awayError{k, err}
}

// Heard takes an event of the team's log, whoever has stored it.
func (c *Keeper) Heard(_ context.Context, st log.Stored) {
	id := st.Event.Aggregate.ID
	c.mu.Lock()
	b := c.books[id]
	c.news[id] = news{st.Event.Seq, time.Now()}
	if d, ok := st.Event.Data.(events.ClaimAcquired); ok {
		c.known[id] = claimed{d.Kind, d.Key}
		c.unread[id] = b == nil && d.Owner.Host == c.Host
	}
	own := c.unread[id]
	c.mu.Unlock()
	if own {
		c.Wake()
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
func (c *Keeper) heardOf(id string, seq uint64) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.news[id]; n.seq == seq && seq > 0 {
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
