package claim

import (
	"context"
	"os"
	"time"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	lease "autopilot/projections/claim"
)

// The marks of the work trees that are held from here.

// markFor takes the mark of a work tree, if it is to be taken.
func (c *Keeper) markFor(ctx context.Context, b *book, w wish) (taken bool, err error) {
	if b.key.Kind != events.ClaimWorkspace {
		return false, nil
	}
	info := c.Info(w.who, w.ttl)
	if b.mark != nil {
		return false, b.mark.rewrite(info)
	}
	path, err := markPath(ctx, b.key)
	if err != nil {
		return false, err
	}
	b.mark, err = Hold(path, info)
	return err == nil, err
}

// Info is what a mark says of a holder that is served from here.
func (c *Keeper) Info(who string, ttl time.Duration) Info {
	now := c.Now().UTC()
	return Info{State: c.StateDir, Host: c.Host, PID: os.Getpid(), Who: who, Since: now, Beat: now, TTL: int64(ttl / time.Second)}
}

func (b *book) unmark() error {
	if b.mark == nil {
		return nil
	}
	m := b.mark
	b.mark = nil
	return m.Release()
}

// markPath is where the mark of a work tree is.
func markPath(ctx context.Context, k Key) (string, error) {
	ws, err := tree.Find(ctx, k.Scope)
	if err != nil {
		return "", err
	}
	common, err := ws.Common()
	return MarkFile(common, ws.ID), err
}

// forceMark clears what another state directory left, and says so first.
func (c *Keeper) forceMark(ctx context.Context, k Key, a events.Assurance, actor, cause string) error {
	path, err := markPath(ctx, k)
	if err != nil {
		return err
	}
	b, err := c.open(ctx, k, true)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	_, err = b.record.Decide(ctx, func(s lease.State) (events.Data, error) {
		if s.Held() {
			return nil, lease.ErrFence
		}
		return events.ClaimForced{Assurance: a}, nil
	}, actor, cause)
	if err != nil {
		return err
	}
	return clearMark(path, c.Info("", TTL))
}

// elsewhere is the other state directory that has a work tree, if one has.
func (c *Keeper) elsewhere(ctx context.Context, k Key) (*MarkedError, error) {
	if k.Kind != events.ClaimWorkspace {
		return nil, nil //nolint:nilnil // only work trees have marks
	}
	path, err := markPath(ctx, k)
	if err != nil {
		return nil, err
	}
	return Look(path, c.Info("", TTL))
}
