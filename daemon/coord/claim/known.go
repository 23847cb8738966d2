package claim

import (
	"context"
	"errors"
	"maps"
	"slices"

	"autopilot/events"
	lease "autopilot/projections/claim"
)

// Keys are the claims of some kinds, or of all, that somebody has or ever had.
func (c *Keeper) Keys(ctx context.Context, kinds ...events.ClaimKind) []Key {
	var out []Key
	c.mu.Lock()
	known := maps.Clone(c.known)
	c.mu.Unlock()
	for id, n := range known {
		if len(kinds) > 0 && !slices.Contains(kinds, n.kind) {
			continue
		}
		c.mu.Lock()
		b := c.books[id]
		c.mu.Unlock()
		if b != nil {
			out = append(out, b.key)
			continue
		}
		k, err := c.keyOf(ctx, id, n)
		if err != nil {
			c.Log.Error("read what a claim is about", "claim", id, "error", err)
			continue
		}
		out = append(out, k)
	}
	return out
}

// keyOf reads what a claim is about. Another host may have stored that.
func (c *Keeper) keyOf(ctx context.Context, id string, n claimed) (Key, error) {
	text, err := c.Blobs.Get(n.key)
	if err != nil && c.shares(n.kind) {
		text, err = c.Team.Text(ctx, n.key)
	}
	if err != nil {
		return Key{}, err
	}
	k, err := readKey(text)
	if err == nil && k.ID() != id {
		err = errors.New("it is the text of another claim")
	}
	return k, err
}

// Records are the claims of this log that were opened and have events, as these say.
func (c *Keeper) Records() map[string]lease.State {
	out := map[string]lease.State{}
	c.each(func(id string, b *book) {
		if s := b.record.State(); s.Log.Seq > 0 && !c.shares(b.key.Kind) {
			out[id] = s
		}
	})
	return out
}

// each looks at every claim that was opened.
func (c *Keeper) each(f func(id string, b *book)) {
	c.mu.Lock()
	all := make(map[string]*book, len(c.books))
	for id, b := range c.books {
		all[id] = b
	}
	c.mu.Unlock()
	for id, b := range all {
		b.mu.Lock()
		if b.record != nil {
			f(id, b)
		}
		b.mu.Unlock()
	}
}
