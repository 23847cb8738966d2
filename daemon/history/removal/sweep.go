package removal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/snapshot"
	"autopilot/events/wire"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// looseAfter is how old a text or an output has to be that nothing names, before
// it counts as left behind.
const looseAfter = 24 * time.Hour

// sweep is what is to be removed. It is closed when it is done, or will not be.
type sweep struct {
	purge   *blob.Purge
	runs    []string // ids
	texts   []blob.Entry
	loose   []blob.Entry // texts that nothing names
	shared  int
	effects []effect.Kept
	bytes   int64           // of the effects
	drops   []tree.Dropping // by workspace
	trees   int
	had     int // runs that had some of it
}

func (p *sweep) close() { _ = p.purge.Close() } // what is lasting was closed before

// empty says that there is nothing to do.
func (p *sweep) empty() bool {
	return len(p.texts)+len(p.loose)+len(p.effects)+p.trees == 0
}

func (p *sweep) outputs() wire.Room { return wire.Room{Files: len(p.effects), Bytes: p.bytes} }

// target is a run whose traces go.
type target struct {
	head snapshot.Head
}

// planning is how a sweep is found.
type planning struct {
	w       *Sweeper
	p       *sweep
	heads   []snapshot.Head // of all runs
	census  *census
	parties map[string]party
	targets []target
	pruned  []host.PrunedTree // removed work trees of which the record goes
	listed  []blob.Entry      // texts that are asked about
	kept    []effect.Kept
	begun   time.Time
	again   bool // it was begun before: names may be gone, and objects not
}

func (w *Sweeper) planning(texts int) (*planning, error) {
	purge, err := w.cfg.Blobs.Purge()
	if err != nil {
		return nil, err
	}
	pl := &planning{
		w: w, p: &sweep{purge: purge}, heads: w.cfg.Runs.AllHeads(), census: newCensus(texts), parties: map[string]party{}, begun: time.Now(),
	}
	if pl.kept, err = w.cfg.Effects.Kept(); err != nil {
		_ = purge.Close()
		return nil, err
	}
	for _, k := range pl.kept {
		pl.census.askEffect(k.ID)
	}
	return pl, nil
}

// aim adds a run whose traces go. The last of them may be on its way still.
func (pl *planning) aim(ctx context.Context, h snapshot.Head) error {
	if err := pl.w.cfg.Runs.Settle(ctx, h.ID); err != nil {
		return err
	}
	pl.targets = append(pl.targets, target{h})
	pl.p.runs = append(pl.p.runs, h.ID)
	pl.census.askTrees(h.Project)
	return nil
}

// stand says what each run is to the removal. emptied are those whose texts were
// removed before.
func (pl *planning) stand(emptied func(snapshot.Head) bool) {
	for _, h := range pl.heads {
		switch {
		case h.Status == run.Over && emptied(h):
			pl.parties[h.ID] = party{left, h.ID, h.Project}
		case pl.census.trees[h.Project] != nil:
			pl.parties[h.ID] = party{keeps, h.ID, h.Project}
		}
	}
	for _, t := range pl.targets {
		pl.parties[t.head.ID] = party{leaves, t.head.ID, t.head.Project}
	}
}

// look reads all that is stored and settles what goes. all is to take what
// nothing names, too.
func (pl *planning) look(ctx context.Context, all bool) (*sweep, error) {
	if err := pl.w.count(ctx, pl.census, pl.heads, pl.parties); err != nil {
		return nil, err
	}
	for _, e := range pl.listed {
		switch n := pl.census.text(e.Ref); {
		case pl.p.purge.Keeps(e.Ref) || n.kept:
			if n.left {
				pl.p.shared++
			}
		case n.left:
			pl.p.texts = append(pl.p.texts, e)
		case all && pl.old(e.Written):
			pl.p.loose = append(pl.p.loose, e)
		}
	}
	pl.pickEffects(all)
	err := pl.pickTrees(ctx)
	pl.p.had = len(pl.census.had)
	return pl.p, err
}

func (pl *planning) old(t time.Time) bool { return pl.begun.Sub(t) > looseAfter }

func (pl *planning) pickEffects(all bool) {
	for _, k := range pl.kept {
		n := pl.census.effect(k.ID)
		if n.goes() || all && n == (named{}) && pl.old(k.Since) {
			pl.p.effects = append(pl.p.effects, k)
			_, bytes := pl.w.cfg.Effects.Open(k.ID).Size()
			pl.p.bytes += bytes
		}
	}
}

// pickTrees finds the recorded trees of the targets, by workspace.
func (pl *planning) pickTrees(ctx context.Context) error {
	drops := map[string]*tree.Dropping{}
	for _, t := range pl.targets {
		d := drops[t.head.Project]
		if d == nil {
			d = &tree.Dropping{Workspace: t.head.Project, DryRun: true}
			drops[t.head.Project] = d
		}
		d.Runs = append(d.Runs, t.head.ID)
	}
	for _, p := range pl.pruned {
		if drops[p.Project] == nil {
			drops[p.Project] = &tree.Dropping{Workspace: p.Project, DryRun: true}
		}
		drops[p.Project].Runs = append(drops[p.Project].Runs, p.Salvage)
	}
	for id, d := range drops {
		n, err := pl.w.cfg.Work.DropTrees(ctx, *d)
		if err != nil {
			return err
		}
		pl.p.trees += n
		if n == 0 && !pl.again {
			continue
		}
		d.DryRun = false
		for t := range pl.census.trees[id] {
			d.Keep = append(d.Keep, t)
		}
		pl.p.drops = append(pl.p.drops, *d)
	}
	slices.SortFunc(pl.p.drops, func(a, b tree.Dropping) int { return cmp.Compare(a.Workspace, b.Workspace) })
	return nil
}

// remove removes what was planned: the texts last, as the others are found by
// them. Removing again what is gone is no error.
func (w *Sweeper) remove(ctx context.Context, p *sweep) error {
	for _, drop := range p.drops {
		if err := w.dropTrees(ctx, drop); err != nil {
			return err
		}
	}
	for _, k := range p.effects {
		if err := w.cfg.Effects.Discard(k.ID); errors.Is(err, effect.ErrUnfinished) {
			w.cfg.Log.Warn("an effect is at work that no run waits for", "effect", k.ID)
		} else if err != nil {
			return err
		}
	}
	for _, id := range p.runs {
		if err := w.cfg.Work.DropSecret(id); err != nil {
			return err
		}
	}
	for _, e := range slices.Concat(p.texts, p.loose) {
		if _, err := p.purge.Remove(ctx, e.Ref); err != nil {
			return err
		}
		failpoint.Hit(failpoint.DuringRemoval)
	}
	if err := p.purge.Close(); err != nil {
		return fmt.Errorf("remove texts: %w", err)
	}
	return nil
}

// dropTrees removes trees in the repository of a workspace. While a run is live
// there, objects stay that were written since it began: nothing may name them
// yet.
func (w *Sweeper) dropTrees(ctx context.Context, drop tree.Dropping) error {
	release, err := w.cfg.Runs.Hold(drop.Workspace, "", "")
	if err == nil {
		defer release()
		drop.Alone, drop.Before = true, time.Now()
	} else {
		drop.Before = w.recordingSince(drop.Workspace)
	}
	for _, l := range w.cfg.Effects.Live() { // a gate that is tried may look at trees without a name
		if work.IsTry(l.Effect) {
			drop.Alone, drop.Before = false, time.Now().Add(-looseAfter)
		}
	}
	_, err = w.cfg.Work.DropTrees(ctx, drop)
	return err
}

// recordingSince is since when trees may be recorded in a workspace: the start of the
// run that is live there, or not long ago when one is about to start.
func (w *Sweeper) recordingSince(project string) time.Time {
	since := time.Now().Add(-time.Hour)
	for _, h := range w.cfg.Runs.Heads() {
		if h.Project != project || h.Status != run.Live {
			continue
		}
		if s, ok := w.cfg.Runs.State(h.ID); ok && s.Clock.Started.Before(since) {
			since = s.Clock.Started
		}
	}
	return since
}
