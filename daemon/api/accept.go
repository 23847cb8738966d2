package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/land"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Accept takes the work of a done run into a branch: by a landing run, or by the client
// where the very tree was judged that the client commits.
func (a *Landings) Accept(ctx context.Context, q auth.Request, body wire.AcceptRequest) (wire.AcceptView, error) {
	v, err := a.accept(ctx, q, body)
	return v, landFault(err)
}

func (a *Landings) accept(ctx context.Context, q auth.Request, body wire.AcceptRequest) (v wire.AcceptView, err error) {
	if body.Run == "" {
		return v, wire.Errorf(wire.Usage, "accept needs a run").WithHint("apctl ls --all   lists the runs")
	}
	if !body.DryRun {
		if s, ok := a.Fleet.Requested(ctx, q.ID); ok {
			landing := a.View(s)
			return wire.AcceptView{Landing: &landing}, nil
		}
	}
	s, err := a.landable(ctx, body.Run)
	if err != nil {
		return v, err
	}
	if v, err = a.acceptView(ctx, s, body); err != nil || v.Own {
		return v, err
	}
	o := LandOrder{Runs: []string{s.ID}, Target: v.Target, How: body.How, Gates: body.Gates, Env: body.Env, Message: body.Message}
	l, err := a.plan(ctx, o)
	if err != nil {
		return v, err
	}
	if v.As != wire.AcceptCommit { // that branch is made, where it is not there
		if o.Base, _, err = l.ws.Head(); err != nil {
			return v, err
		}
	}
	v.How, v.Gates, l.o = string(l.how), l.checks.GateNames(), o
	if body.DryRun {
		if err := a.commits(ctx, l, a.Worker.TryCommit); err != nil {
			return v, err
		}
		return v, l.try(ctx, a)
	}
	landing, err := a.Begin(ctx, q, o)
	if err == nil {
		shown := a.View(landing)
		v.Landing = &shown
	}
	return v, err
}

// acceptView says what is accepted, and where it goes.
func (a *Landings) acceptView(ctx context.Context, s run.State, body wire.AcceptRequest) (v wire.AcceptView, err error) {
	h := s.Facts.Handle
	v = wire.AcceptView{Run: a.View(s), As: cmp.Or(body.As, wire.AcceptCommit), DryRun: body.DryRun, Files: []string{}}
	spec, err := a.Worker.Spec(s)
	if err != nil {
		return v, err
	}
	v.Dir = cmp.Or(spec.From, a.Text(s.Facts.Workspace))
	ws, err := a.Worker.Workspace(ctx, v.Dir)
	if err != nil {
		return v, err
	}
	v.Dir = ws.Path
	final, err := a.Worker.Final(ctx, s)
	if err != nil {
		return v, err
	}
	v.Files = tree.Printable(final.Of)
	branch, err := ws.Branch()
	if err != nil {
		return v, err
	}
	switch v.As {
	case wire.AcceptCommit:
		v.Target = cmp.Or(body.Into, branch)
	case wire.AcceptBranch, wire.AcceptPR:
		v.Target = cmp.Or(body.Into, "autopilot/accept-"+h)
	default:
		return v, wire.Errorf(wire.Usage, "as %.40q is not known", v.As).WithHint("--as commit, branch or pr")
	}
	if v.Own = spec.Branch == "" && v.As == wire.AcceptCommit && body.Into == ""; v.Own {
		return v, a.ownView(ctx, s, ws, final, body, &v)
	}
	if v.Target == "" {
		return v, wire.Errorf(wire.Usage, "no branch is checked out in %s", ws.Path).WithHint("name one: apctl accept %s --into BRANCH", h)
	}
	return v, nil
}

// ownView compares a user's own tree with the one that was judged in it.
func (a *Landings) ownView(ctx context.Context, s run.State, ws tree.Workspace, final commit.Work, body wire.AcceptRequest, v *wire.AcceptView) error {
	v.Paths, v.Judged = final.Of, s.Last.Head.Commit
	head, _, err := ws.Head()
	if err != nil {
		return err
	}
	v.Head = head
	v.Message = final.Message
	if m := strings.TrimSpace(body.Message); m != "" {
		v.Message = m + "\n\n" + final.Mark + "\n"
	}
	release, err := a.Fleet.Hold(s.Facts.Project, "accept-"+s.ID, "")
	if err != nil {
		return err
	}
	defer release()
	now, err := a.Worker.Now(ctx, s)
	if err != nil {
		return err
	}
	changed, err := a.Worker.Differs(ctx, s, now)
	v.Changed = tree.Printable(changed)
	return err
}

// landView shows a landing run; nil for another run.
func (a *Views) landView(s run.State, to *stored.Land) *wire.LandView {
	if to == nil {
		return nil
	}
	v := &wire.LandView{Target: to.Target, Commit: to.Commit, Onto: to.Onto, Of: []string{}}
	for _, id := range to.Of {
		name := id
		if of, ok := a.Fleet.State(id); ok {
			name = of.Facts.Handle
		}
		v.Of = append(v.Of, name)
	}
	if p := s.Published; p != nil && p.Landing != "" {
		v.State, v.Said = string(p.Landing), a.Text(p.Problem)
		if p.Landing == events.LandKept {
			v.Ref = land.KeepRoot + s.Facts.Handle
		}
	}
	return v
}

// landFault gives errors of landings the code and the next command of the wire.
func landFault(err error) error {
	var conflict *land.ConflictError
	var merges *land.MergesError
	var about *RunError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return wire.Errorf(wire.Conflict, "%s", printable(err.Error(), conflict.Files)).
			WithHint("git merge   the target into the branch of the run, let the gates pass there in another run, and accept that")
	case errors.As(err, &merges):
		return wire.Errorf(wire.Conflict, "%v", err).WithHint("--how merge or --how squash")
	case errors.As(err, &about):
		return wire.Errorf(wire.Conflict, "%v", err).WithHint("%s", about.Fix)
	case errors.Is(err, land.ErrNoGates):
		return wire.Errorf(wire.Conflict, "%v: no gate of the run has a command", err).
			WithHint("--invariant NAME=CMD, or land.gates in .autopilot/config.yaml")
	case errors.Is(err, land.ErrNothing):
		return wire.Errorf(wire.Conflict, "%v", err)
	case errors.Is(err, land.ErrNoTarget):
		return wire.Errorf(wire.NotFound, "%v", err).WithHint("git branch   lists the branches")
	case errors.Is(err, land.ErrOldGit):
		return wire.Errorf(wire.Failed, "%v", err).WithHint("install it where the daemon finds it, then: apctl daemon restart")
	}
	return work.NoWorkspace("", err)
}

func printable(text string, files []string) string {
	shown := tree.Printable(files)
	if len(shown) > mostConflicts {
		shown = append(shown[:mostConflicts:mostConflicts], fmt.Sprintf("and %d more", len(files)-mostConflicts))
	}
	return strings.Replace(text, strings.Join(files, ", "), strings.Join(shown, ", "), 1)
}

// mostConflicts bounds the files that a conflict names.
const mostConflicts = 12
