package work

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/run"
)

// Restored is the effect of a restore, or of a dry one.
type Restored struct {
	tree.Restored
	Before events.Tree // the work tree from before
	Kept   string      // name of the kept Before; empty if nothing changed
}

// Restore takes the workspace of a run that is not live to a recorded tree. It first
// records and keeps the present tree, so that a person can undo it. A dry call only lists
// the files that differ.
func (w *Worker) Restore(ctx context.Context, s run.State, to events.Tree, dry bool) (Restored, error) {
	repo, now, err := w.present(ctx, s)
	if err != nil {
		return Restored{}, fmt.Errorf("record the workspace: %w", err)
	}
	r := Restored{Before: now}
	changes, err := repo.Changes(ctx, now, to)
	if err != nil || len(changes) == 0 {
		return r, err
	}
	if dry {
		for _, c := range changes {
			if c.Status == tree.Deleted {
				r.Removed = append(r.Removed, c.Path)
			} else {
				r.Written = append(r.Written, c.Path)
			}
		}
		return r, nil
	}
	if r.Kept, err = w.keepUndo(ctx, s, repo, now); err != nil {
		return r, fmt.Errorf("keep the present tree: %w", err)
	}
	r.Restored, err = repo.Restore(ctx, now, to)
	return r, gone(err)
}

// Now records the present workspace of a run, by the run's own rules.
func (w *Worker) Now(ctx context.Context, s run.State) (_ events.Tree, err error) {
	defer func() { err = noRoom(err) }()
	_, now, err := w.present(ctx, s)
	return now, err
}

// present records the workspace of a run, by the run's own rules.
func (w *Worker) present(ctx context.Context, s run.State) (*tree.Repo, events.Tree, error) {
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return nil, "", err
	}
	ignore, err := w.cfg.Blobs.Get(s.Facts.Ignore)
	if err != nil {
		return nil, "", err
	}
	flow, err := w.Flow(ctx, s)
	if err != nil {
		return nil, "", err
	}
	snap, err := w.record(ctx, s, &Plan{Repo: repo, Ignore: ignore, Flow: flow}, s.Last.Created)
	if s.Status == run.Over {
		err = errors.Join(err, repo.Forget(s.ID))
	}
	return repo, snap.Tree, err
}

// DropTrees removes recorded trees from the repository of a workspace; see
// tree.Config.Drop.
func (w *records) DropTrees(ctx context.Context, d tree.Dropping) (named int, err error) {
	named, err = w.cfg.Trees.Drop(ctx, d)
	if d.DryRun {
		return named, err
	}
	w.mu.Lock()
	o := w.repos[d.Workspace]
	w.mu.Unlock()
	if o != nil {
		select {
		case <-o.done:
			if o.repo != nil {
				o.repo.Doubt()
			}
		case <-ctx.Done():
			return named, errors.Join(err, ctx.Err())
		}
	}
	return named, err
}

// keepUndo keeps a tree under the first free name for undos.
func (w *Worker) keepUndo(ctx context.Context, s run.State, repo *tree.Repo, now events.Tree) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("undo-%d", n)
		_, _, err := repo.Kept(ctx, s.ID, name)
		if err == nil {
			continue
		}
		if !errors.Is(err, tree.ErrNotFound) {
			return "", err
		}
		_, err = repo.Keep(ctx, s.ID, name, now, "", "run "+s.Facts.Handle+": "+name)
		return name, err
	}
}
