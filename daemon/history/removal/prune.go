package removal

import (
	"context"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/snapshot"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Prune removes what runs have written that were over before a moment, and
// what nobody names.
func (w *Sweeper) Prune(ctx context.Context, q auth.Request, body wire.PruneRequest) (v wire.PruneView, err error) {
	now := time.Now().UTC()
	if body.Before.IsZero() || body.Before.After(now) {
		return v, wire.Errorf(wire.Usage, "to prune needs a moment that is over")
	}
	r := Record{BeforeMS: body.Before.UnixMilli(), By: q.Actor, Cause: q.ID, At: now}
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, done := w.cfg.Lasting(ctx)
	defer done()
	if err := w.finishLocked(ctx); err != nil {
		return v, err
	}
	p, err := w.planPrune(ctx, r.before(), false)
	if err != nil {
		return v, err
	}
	defer p.close()
	v = wire.PruneView{
		Before: r.before(), Runs: p.had, Texts: room(p.texts), Unnamed: room(p.loose),
		Outputs: p.outputs(), Trees: p.trees, DryRun: body.DryRun,
	}
	if body.DryRun || p.empty() {
		return v, nil
	}
	r.Runs, r.Texts = p.had, len(p.texts)
	return v, w.carryOut(ctx, p, r)
}

// planPrune finds what goes with the runs that were over before a moment. Of
// those that were pruned before, what they named stays where it is named: only
// what a person had erased holds nothing.
func (w *Sweeper) planPrune(ctx context.Context, before time.Time, again bool) (_ *sweep, err error) {
	list, err := w.cfg.Blobs.List(ctx)
	if err != nil {
		return nil, err
	}
	pl, err := w.planning(len(list))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			pl.p.close()
		}
	}()
	pl.listed, pl.again = list, again
	for _, e := range list {
		pl.census.ask(e.Ref)
	}
	for _, h := range pl.heads {
		if h.Status != run.Over || h.Latest >= before.UnixMilli() {
			continue
		}
		if err := pl.aim(ctx, h); err != nil {
			// Whatever it names stays.
			w.cfg.Log.Warn("prune a run", "run", h.ID, "error", err)
		}
	}
	hosts := w.cfg.Hosts.State()
	for _, p := range hosts.Trees {
		if p.At.Before(before) {
			pl.pruned = append(pl.pruned, p)
			pl.census.askTrees(p.Project)
		}
	}
	pl.stand(func(h snapshot.Head) bool {
		_, erased := hosts.Erased[h.ID]
		return erased
	})
	return pl.look(ctx, true)
}
