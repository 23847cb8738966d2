package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/run"
)

// A landing run works in a repository of the daemon, which is gone with the run:
//
//	<state>/land/<run id>/<name of the workspace>

const landName = "land"

// LandDir is the place of a landing run.
func (w *places) LandDir(run string) string { return filepath.Join(w.cfg.State, landName, run) }

// DropLanding removes the place of a landing run.
func (w *places) DropLanding(run string) error { return w.dropDir(w.LandDir(run)) }

// sweepLandings removes the places of landings that are over, or never began.
func (w *places) sweepLandings(needed func(id string) bool) error {
	entries, err := os.ReadDir(filepath.Join(w.cfg.State, landName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if !needed(e.Name()) {
			errs = append(errs, w.remove(w.LandDir(e.Name())))
		}
	}
	return errors.Join(errs...)
}

// lands says that the run lands the work of others.
func (p *Plan) lands() bool { return p.Spec.Land != nil }

// setsUpInPlace says that the set-up command runs in the work tree: that of a landing is a
// clean checkout already.
func (p *Plan) setsUpInPlace() bool { return p.lands() && p.Spec.Setup != "" }

// landed moves the target of a landing whose gates have passed.
func (w *Worker) landed(ctx context.Context, s run.State, p *Plan, d events.WorkPublished) (events.WorkPublished, error) {
	l := p.Spec.Land
	d.Commit = l.Commit
	m, err := move(ctx, p, land.Target{Branch: l.Target, Old: l.Onto, New: l.Commit, Handle: s.Facts.Handle})
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	if err != nil {
		m = land.Moved{State: events.LandFailed, Said: err.Error()}
	}
	d.Landing = m.State
	d.Problem, err = w.put(ctx, m.Said)
	return d, err
}

func move(ctx context.Context, p *Plan, t land.Target) (land.Moved, error) {
	from, err := tree.Find(ctx, p.Spec.From)
	if err != nil {
		return land.Moved{}, fmt.Errorf("find the repository of the target: %w", err)
	}
	scratch, err := land.Open(p.Repo.Workspace().Path, from)
	if err != nil {
		return land.Moved{}, fmt.Errorf("find the merged commit: %w", err)
	}
	whole, err := scratch.Whole(ctx, t.New)
	if err != nil {
		return land.Moved{}, err
	}
	if !whole {
		return land.Moved{}, errors.New("the judged files are not those of the merged commit")
	}
	return scratch.Move(ctx, from, t)
}

// setUpInPlace runs the set-up command of a landing before its gates. Without a failure
// there are no results.
func (g *judgement) setUpInPlace(ctx context.Context) (results []events.GateResult, err error) {
	if !g.p.setsUpInPlace() {
		return nil, nil
	}
	for _, a := range g.list {
		if a.runs() {
			results = append(results, events.GateResult{Gate: a.Name, Kind: a.Kind, Role: a.Role, Verdict: events.Skipped, Reason: events.ReasonSetup, Exit: -1})
		}
	}
	if len(results) == 0 {
		return nil, nil
	}
	c, err := g.newCheckout(g.s.Last.Tree, g.w.cleanDir(g.s.ID), "place")
	if err != nil {
		return nil, err
	}
	c.gates, c.of = g.p.Gates, "the branch"
	failed, err := c.setUp(ctx, results[0], func(ctx context.Context, id string) error {
		if g.w.begun(id) {
			return nil
		}
		if err := g.beginRound(ctx, id); err != nil {
			return err
		}
		return g.w.freshPlace(c.gates)
	})
	if err != nil || failed == nil {
		return nil, err
	}
	results[0] = *failed
	return results, nil
}

// Commit makes a commit of the work of a run that has passed: on the branch that was made
// for it, else on top of the commit that it was judged at, where no branch moves.
func (w *Worker) Commit(ctx context.Context, s run.State) (commit.Made, error) {
	return w.commit(ctx, s, commit.Work.OnBranch)
}

// TryCommit is Commit, and moves nothing.
func (w *Worker) TryCommit(ctx context.Context, s run.State) (commit.Made, error) {
	return w.commit(ctx, s, commit.Work.OnTop)
}

func (w *Worker) commit(ctx context.Context, s run.State, on func(commit.Work, context.Context) (commit.Made, error)) (commit.Made, error) {
	final, err := w.Final(ctx, s)
	switch {
	case err != nil:
		return commit.Made{}, err
	case final.Branch != "":
		return on(final, ctx)
	case final.Judged == "":
		return commit.Made{}, errors.New("it was not judged on top of a commit")
	}
	return final.Loose(ctx, final.Judged)
}
