package api

import (
	"context"
	"strings"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/repo/tree"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// Discard takes the work of a run away: its own work tree and branch, or in the user's tree
// the changes since its start. All of it is recorded first, and the view has the way back.
func (a *Landings) Discard(ctx context.Context, q auth.Request, body wire.DiscardRequest) (v wire.DiscardView, err error) {
	if body.Run == "" {
		return v, wire.Errorf(wire.Usage, "discard needs a run").WithHint("apctl ls --all   lists the runs")
	}
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return v, err
	}
	if err := a.discardable(s); err != nil {
		return v, err
	}
	v = wire.DiscardView{Run: a.View(s), DryRun: body.DryRun}
	spec, err := a.Worker.Spec(s)
	if err != nil {
		return v, err
	}
	if spec.Branch == "" {
		return v, a.discardChanges(ctx, q, s, body, &v)
	}
	return v, a.discardTree(ctx, q, s, spec, body.DryRun, &v)
}

func (a *Landings) discardable(s run.State) error {
	h := s.Facts.Handle
	switch {
	case s.Facts.Land.Commit != "":
		return wire.Errorf(wire.Conflict, "run %s is a landing: it has no work of its own", h).WithHint("name the run whose work it is")
	case s.Status == run.Live:
		return wire.Errorf(wire.Conflict, "run %s is live", h).WithHint("apctl cancel %s   ends it for good", h)
	case s.Status == run.Halted:
		return wire.Errorf(wire.Conflict, "run %s is halted, and may be resumed", h).WithHint("apctl cancel %s   ends it for good; its work stays until you discard it", h)
	}
	return a.Fleet.Changeable(s)
}

// discardChanges takes the user's tree back to the start of the run. What has changed since
// the run ended is somebody else's, and is not taken with it.
func (a *Landings) discardChanges(ctx context.Context, q auth.Request, s run.State, body wire.DiscardRequest, v *wire.DiscardView) error {
	h := s.Facts.Handle
	if err := a.Removal.Whole(s, "the recorded work"); err != nil {
		return err
	}
	now, err := a.Worker.Now(ctx, s)
	if err != nil {
		return err
	}
	changed, err := a.Worker.Differs(ctx, s, now)
	if err != nil {
		return err
	}
	if len(changed) > 0 && now != s.Facts.Tree {
		return wire.Errorf(wire.Conflict, "files have changed since run %s ended: %s", h, shownFew(changed)).
			WithHint("apctl restore %s 0   takes all files back to its start, and prints how to undo that", h)
	}
	r, err := a.RunRestore(ctx, q, wire.RestoreRequest{RunRef: wire.RunRef{Run: s.ID}, To: "0", DryRun: body.DryRun})
	if v.Restore = &r; r.Undo != "" {
		v.Undo = []string{"apctl restore " + h + " " + r.Undo}
	}
	return err
}

// discardTree removes the work tree of the run, then its branch. Each can be done again.
func (a *Landings) discardTree(ctx context.Context, q auth.Request, s run.State, spec stored.Spec, dry bool, v *wire.DiscardView) error {
	t, err := a.Worktrees.Discard(ctx, q, spec.From, a.Text(s.Facts.Workspace), dry)
	if v.Tree = &t; err != nil {
		return err
	}
	ws, err := tree.Find(ctx, spec.From)
	if err != nil {
		return err
	}
	ref := land.DiscardRoot + s.Facts.Handle
	v.Branch = spec.Branch
	if v.Commit, err = land.BranchTip(ctx, ws, spec.Branch); err != nil || v.Commit == "" || dry {
		return err
	}
	if !t.Removed && !t.Missing {
		return nil // it stays, and so does its branch
	}
	if err := land.Retire(ctx, ws, spec.Branch, v.Commit, ref); err != nil {
		return err
	}
	v.Undo = append([]string{"git -C " + phrase.Quote(ws.Path) + " branch " + phrase.Quote(spec.Branch) + " " + ref}, t.Back...)
	return nil
}

func shownFew(files []string) string {
	return printable(strings.Join(files, ", "), files)
}
