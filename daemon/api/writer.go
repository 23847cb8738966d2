package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// This file tells a caller that wants a work tree which run or session works there, since
// when, and what the caller can do instead.

// Writer shows a run as the writer of its work tree.
func (a *Views) Writer(s run.State) *wire.WriterView {
	v := a.View(s)
	w := &wire.WriterView{
		Run: v.Handle, Task: firstLine(v.Task), Program: v.Agent, Since: v.Started, Alive: v.LastOutput,
		Iteration: v.Iteration, Iterations: v.Iterations, Asks: explain.Asks(s),
	}
	if v.Life != nil && (w.Alive == nil || w.Alive.Before(v.Life.At)) {
		w.Alive = &v.Life.At
	}
	if latest := s.Clock.Latest.UTC(); w.Alive == nil || w.Alive.Before(latest) {
		w.Alive = &latest
	}
	if by := s.Driver; s.Driven() && by != nil {
		w.Program, w.PID, w.Since = string(by.Program), by.PID, by.Since.UTC()
	}
	return w
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return begin(line, 200)
}

// Besides refuses to begin in the work tree of a live run. Its error names the writer,
// and a command that works beside it.
func (a *Views) Besides(s run.State) error {
	w := a.Writer(s)
	e := wire.Errorf(wire.Conflict, "%s", explain.Writes(*w, time.Now())).
		WithHint(besideRun+"   works in parallel, in its own work tree\napctl wait %s   waits until it ends\napctl stop %s   stops it after this iteration, which frees the work tree", w.Run, w.Run)
	if w.Asks {
		e.Hint = "apctl answer " + w.Run + "   shows the question, and takes your answer\n" + e.Hint
	}
	e.Writer = w
	return e
}

// within takes a work tree for a run within this daemon, or names its holder.
func (a *Views) within(project, cause, except string) (release func(), err error) {
	release, err = a.Fleet.Hold(project, cause, except)
	if s, live := a.Fleet.LiveIn(project, except); err != nil && live && except == "" {
		return nil, a.Besides(s)
	}
	return release, err
}

// besideRun is the command for a run beside another. A chat that joins has its own
// command.
const besideRun = "apctl run --worktree ..."

// offered names the holder of a work tree, also as data, and offers to work beside it.
func (a *Views) offered(why error, except string) error {
	err := a.Claims.Fault(why)
	var e *wire.Error
	if except != "" || !errors.As(err, &e) || e.Code != wire.Conflict {
		return err
	}
	with := *e
	with.Hint = besideRun + "   works in parallel, in its own work tree\n" + e.Hint
	with.Writer = a.holderView(why)
	return &with
}

// asJoin gives a chat that joins the hint in terms of its own command.
func asJoin(err error) error {
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.Conflict {
		return err
	}
	with := *e
	with.Hint = strings.Replace(e.Hint, besideRun, "apctl session join --worktree ...", 1)
	return &with
}

// holderView shows the holder of a work tree's claim, as far as this daemon knows it.
func (a *Views) holderView(why error) *wire.WriterView {
	var held *claim.HeldError
	var marked *claim.MarkedError
	switch {
	case errors.As(why, &held):
		if s, ok := a.Fleet.State(held.State.Owner.Run); ok {
			return a.Writer(s)
		}
		beat, o := held.State.Beat.UTC(), held.State.Owner
		return &wire.WriterView{Program: string(o.Program), PID: o.PID, Since: held.State.Since.UTC(), Alive: &beat}
	case errors.As(why, &marked) && marked.Info.State != "":
		i, beat := marked.Info, marked.Info.Beat.UTC()
		handle, _ := strings.CutPrefix(i.Who, "run ")
		if handle == i.Who {
			handle = "" // a session
		}
		return &wire.WriterView{Run: handle, StateDir: i.State, Since: i.Since.UTC(), Alive: &beat}
	}
	return nil
}

// hold takes a work tree for a run: within this daemon, then beside other daemons.
func (a *Runs) hold(ctx context.Context, project, top, id, handle, cause, except string) (release func(), err error) {
	within, err := a.within(project, cause, except)
	if err != nil {
		return nil, err
	}
	settle, err := a.Claims.ForRun(ctx, id, handle, top, cause)
	if err != nil {
		within()
		return nil, a.offered(err, except)
	}
	return func() { settle(); within() }, nil
}
