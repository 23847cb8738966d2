package api

import (
	"context"
	"errors"
	"strconv"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// RunRestore takes the workspace of a run back to a recorded tree. It refuses while a run
// is live there. The event is a fact of the host, as the run may be over.
func (a *Runs) RunRestore(ctx context.Context, q auth.Request, body wire.RestoreRequest) (wire.RestoreView, error) {
	if body.Run == "" {
		return wire.RestoreView{}, wire.Errorf(wire.Usage, "a restore needs a run").
			WithHint("apctl ls --all   lists the runs")
	}
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return wire.RestoreView{}, err
	}
	if err := a.Fleet.Changeable(s); err != nil {
		return wire.RestoreView{}, err
	}
	if err := a.Removal.Whole(s, "the recorded work"); err != nil {
		return wire.RestoreView{}, err
	}
	release, err := a.Fleet.Hold(s.Facts.Project, q.ID, "")
	if err != nil {
		return wire.RestoreView{}, err
	}
	defer release()
	ctx = context.WithoutCancel(ctx)
	mended, err := a.Worker.MendGit(ctx, s, body.DryRun)
	if err != nil {
		mended.Lacks = append(mended.Lacks, err.Error())
	}
	if body.To == toGit {
		return wire.RestoreView{Run: a.View(s), To: toGit, DryRun: body.DryRun, Git: gitRestored(mended), Unchanged: mended.Damage == ""}, nil
	}
	name, to, err := a.recorded(ctx, s, body.To)
	if err != nil {
		return wire.RestoreView{}, err
	}
	r, err := a.Worker.Restore(ctx, s, to, body.DryRun)
	switch {
	case err != nil && r.Kept != "":
		return wire.RestoreView{}, wire.Errorf(wire.Failed, "%v; some files may have changed already", err).
			WithHint("apctl restore %s %s   undoes that", s.Facts.Handle, r.Kept)
	case err != nil:
		return wire.RestoreView{}, err
	case r.Kept != "":
		_, err = a.HostLog.Append(ctx, events.WorkspaceRestored{
			Run: s.ID, Project: s.Facts.Project, To: name, Tree: to, Before: r.Before, Kept: events.Name(r.Kept),
		}, q.Actor, q.ID)
	}
	return wire.RestoreView{
		Run: a.View(s), To: string(name), Tree: string(to), Undo: r.Kept, DryRun: body.DryRun,
		Written: tree.Printable(r.Written), Removed: tree.Printable(r.Removed), Left: tree.Printable(r.Left), Unchanged: r.Before == to && mended.Damage == "",
		Git: gitRestored(mended),
	}, err
}

// toGit is the target of a restore that brings back the repository and touches no file.
const toGit = "git"

// gitRestored shows how a repository was brought back; nil where nothing was lost.
func gitRestored(m tree.GitMended) *wire.GitRestored {
	if m.Damage == "" {
		return nil
	}
	return &wire.GitRestored{Damage: m.Damage, Did: tree.Printable(m.Did), Lacks: tree.Printable(m.Lacks)}
}

// recorded finds a tree of a run by iteration, or by the name of a kept tree. It returns
// the name in the form of events.
func (a *Runs) recorded(ctx context.Context, s run.State, name string) (events.Name, events.Tree, error) {
	if k, err := strconv.Atoi(name); err == nil {
		ends, err := a.trees(ctx, s)
		if err != nil {
			return "", "", err
		}
		t, err := pick(ends, name, s)
		return events.Name(strconv.Itoa(k)), t, err
	}
	repo, err := a.Worker.Repo(ctx, s)
	if err != nil {
		return "", "", err
	}
	_, t, err := repo.Kept(ctx, s.ID, name)
	switch {
	case err == nil:
		return events.Name(name), t, nil
	case errors.Is(err, tree.ErrNotFound):
		return "", "", wire.Errorf(wire.NotFound, "run %s has no recorded tree %q", s.Facts.Handle, name).
			WithHint("give an iteration, 0 for the start, or the name that a restore printed")
	}
	return "", "", wire.Errorf(wire.Usage, "%q names no iteration", name).
		WithHint("give K, where 0 is the start, or the name that a restore printed")
}
