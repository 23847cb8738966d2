package worktree

import (
	"context"
	"errors"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/events/wire"
)

// sessionTree is how much of the id of a session its work tree is named by.
const sessionTree = 9

// Ask answers how work trees are made from a directory. Outside of a
// repository it is what the user's file says. A session is named by what proves
// which one it is, so it has the same work tree each time.
func (k *Keeper) Ask(ctx context.Context, q auth.Request, body wire.WorktreeRequest) (wire.WorktreeSettings, error) {
	ws, err := tree.Find(ctx, body.Directory)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return wire.WorktreeSettings{}, work.NoWorkspace(body.Directory, err)
	}
	v, err := k.cfg.Making.Settings(ws, body.NoConfig)
	if err != nil {
		return wire.WorktreeSettings{}, err
	}
	if id, ok := k.cfg.Making.Session(q); ok { // a run needs no name of one
		v.Session = id[:sessionTree]
	}
	return v, nil
}
