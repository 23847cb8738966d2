package ctl

import (
	"context"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// treesKeep is for how long work trees stay that nobody uses.
const treesKeep = 7 * 24 * time.Hour

func runLsWorktrees(ctx context.Context, a *app) error {
	var v wire.WorktreesView
	if err := ask(ctx, a, wire.WorktreeList, wire.WorktreesRequest{Workspace: a.Dir}, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaWorktrees, v, func(s render.Style) string { return s.Worktrees(v) })
}

// runPruneWorktrees removes work trees. What a person agreed to is what was shown:
// one that is found only afterwards stays.
func runPruneWorktrees(ctx context.Context, a *app, o pruneOptions) error {
	keep := treesKeep
	if o.older != "" {
		var err error
		if keep, err = parseDuration("--older-than", o.older); err != nil {
			return err
		}
	}
	if keep < pruneLeast && !o.dryRun {
		if !o.yes {
			return render.PrunesYoungTrees(o.older)
		}
		a.note(render.PrunesUsedTrees(o.older))
	}
	req := wire.WorktreePruneRequest{Workspace: a.Dir, KeepS: int64(keep / time.Second), All: o.all, DryRun: true}
	var v wire.WorktreesView
	if o.dryRun || !o.yes {
		if err := ask(ctx, a, wire.WorktreePrune, req, &v); err != nil {
			return err
		}
	}
	if !o.dryRun && (o.yes || v.Goes() > 0) {
		if err := a.confirm(o.yes, func(s render.Style) string { return s.PrunedWorktrees(v) }); err != nil {
			return err
		}
		req.DryRun, req.Agreed = false, agreed(v, o.yes)
		v = wire.WorktreesView{}
		if err := ask(ctx, a, wire.WorktreePrune, req, &v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaWorktrees, v, func(s render.Style) string { return s.PrunedWorktrees(v) })
}

// agreed are the work trees that a person was shown; nil is all that go.
func agreed(v wire.WorktreesView, yes bool) []string {
	if yes {
		return nil
	}
	dirs := []string{}
	for _, t := range v.Worktrees {
		if t.Goes {
			dirs = append(dirs, t.Dir)
		}
	}
	return dirs
}
