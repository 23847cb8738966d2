package worktree

import (
	"context"
	"slices"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/events/wire"
)

// Discard removes one work tree with what is in it that is nowhere else: changes that
// nobody committed, and commits that no other branch has. All that Prune promises holds,
// and its branch stays too. Where something else holds it, the view says what, and it stays.
// It is Missing where the repository knows no such work tree any more. from is another
// work tree of the repository.
func (k *Keeper) Discard(ctx context.Context, q auth.Request, from, dir string, dry bool) (wire.TreeView, error) {
	k.pruning.Lock()
	defer k.pruning.Unlock()
	ctx, done := k.cfg.Lasting(ctx)
	defer done()
	k.finishLocked(ctx)
	t, err := k.see(ctx, q, from, -1) // of no age is too young
	if err != nil {
		return wire.TreeView{}, err
	}
	defer t.close()
	t.all, t.discards = true, true
	i := slices.IndexFunc(t.list, func(l tree.Linked) bool { return l.Path == dir })
	if i < 0 {
		return wire.TreeView{Dir: dir, Missing: true}, nil
	}
	if dry {
		v, _ := t.whole(ctx, t.list[i])
		return v, ctx.Err()
	}
	return t.remove(ctx, t.list[i]), ctx.Err()
}
