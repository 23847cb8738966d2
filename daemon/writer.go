package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/chat"
	"autopilot/daemon/claim"
	"autopilot/daemon/engine"
	"autopilot/daemon/tree"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file tells who comes into a work tree that somebody works there already, since
// when, and what else there is to do; and looks after what chats write into the work
// trees of runs that are not theirs.

// writerOf is a run as who works in its work tree.
func (d *Daemon) writerOf(s run.State) *wire.WriterView {
	v := d.view(s)
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

// besides refuses who wants to begin in the work tree of a live run: it is told who
// works there, and how it works beside that.
func (d *Daemon) besides(s run.State) error {
	w := d.writerOf(s)
	e := wire.Errorf(wire.Conflict, "%s", explain.Writes(*w, time.Now())).
		WithHint(besideRun+"   works beside it, in a work tree of its own\napctl wait %s   waits until it has ended\napctl stop %s   ends it after this iteration, and its work tree is free", w.Run, w.Run)
	if w.Asks {
		e.Hint = "apctl answer " + w.Run + "   shows what it asks, and takes your answer\n" + e.Hint
	}
	e.Writer = w
	return e
}

// foreignRun is the live run whose work tree a chat is about to write to without being
// a part of it, with the files. While a run asks a person, who answers may have things
// changed; one that waits for a chat is that chat's to join.
//
// Source: Field reports, B.4 61.
func (d *Daemon) foreignRun(ctx context.Context, who chat.Chat, touches []rule.Touch) (run.State, []string) {
	trees := map[string]run.State{}
	for _, s := range d.fleet.LiveStates() {
		mine := s.Driver != nil && who.Is(s.Driver.SessionJoined)
		if !mine && s.Stage != run.Asking && (!s.Driven() || s.Driver != nil && !d.chats.Gone(s.Driver.SessionJoined)) {
			trees[s.Facts.Project] = *s
		}
	}
	if len(trees) == 0 {
		return run.State{}, nil
	}
	var of run.State
	var files []string
	for _, t := range touches {
		ws, ok := treeAround(ctx, t.Path)
		if !ok {
			continue
		}
		s, live := trees[ws.ID]
		rel, err := filepath.Rel(ws.Path, t.Path)
		if !live || err != nil || !rule.Counts(filepath.ToSlash(rel)) && rel != "." || of.ID != "" && of.ID != s.ID {
			continue
		}
		if of = s; !slices.Contains(files, filepath.ToSlash(rel)) {
			files = append(files, filepath.ToSlash(rel))
		}
	}
	return of, files
}

// treeAround is the work tree that a path is in, or would be.
func treeAround(ctx context.Context, path string) (tree.Workspace, bool) {
	for dir := path; ; dir = filepath.Dir(dir) {
		ws, err := tree.Find(ctx, dir)
		if err == nil {
			return ws, true
		}
		if dir == filepath.Dir(dir) {
			return tree.Workspace{}, false
		}
	}
}

// hookForeign looks after a tool that a chat has used: where it wrote into the work
// tree of a run that is not its own, that run hears of it. The host does not wait.
func (d *Daemon) hookForeign(who chat.Chat, body wire.HookRequest) {
	ctx, done := d.lasting(context.Background())
	s, files := d.foreignRun(ctx, who, d.touchesOf(body))
	if len(files) == 0 || d.draining.Load() {
		done()
		return
	}
	d.beside.Go(func() {
		defer done()
		if err := d.foreignSeen(ctx, s.ID, who, files); err != nil && !errors.Is(err, engine.ErrStale) && ctx.Err() == nil {
			d.cfg.Log.Warn("note what a session wrote to the work tree of a run", "run", s.ID, "error", err)
		}
	})
}

// foreignSeen stores which files are not as the run knew them: one look after the
// other, for each adds to what the run knows.
func (d *Daemon) foreignSeen(ctx context.Context, id string, who chat.Chat, files []string) error {
	d.looking.Lock()
	defer d.looking.Unlock()
	s, ok := d.fleet.State(id)
	if !ok {
		return engine.ErrStale
	}
	found, err := d.worker.Strangers(ctx, s, func(path string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return f == "." || f == path || strings.HasPrefix(path, f+"/") })
	})
	if err != nil || len(found) == 0 {
		return err
	}
	if s.Foreign != nil {
		found = append(found, d.lines(s.Foreign.Files)...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	seen := events.ForeignSeen{
		Files: d.worker.Text(ctx, work.Lines(found)), Count: len(found),
		By: d.worker.Text(ctx, claim.Holder(events.ClaimOwner{Program: who.Program, PID: who.PID})),
	}
	_, err = d.fleet.Do(ctx, s.ID, engine.Foreign{ForeignSeen: seen}, events.ActorDaemon(d.host), "")
	return err
}

// touchesOf are the paths that a tool of a chat writes to, as far as its host tells.
func (d *Daemon) touchesOf(body wire.HookRequest) []rule.Touch {
	touches := rule.Touches(body.Command)
	for _, f := range body.Files {
		touches = append(touches, rule.Touch{Path: f})
	}
	for _, dir := range rule.Rewrites(body.Command) {
		touches = append(touches, rule.Touch{Path: dir})
	}
	return d.places(body.Workspace, touches)
}

// foreignGuard says why a chat should not write into the work tree of a run.
func (d *Daemon) foreignGuard(ctx context.Context, who chat.Chat, body wire.HookRequest) string {
	s, files := d.foreignRun(ctx, who, d.touchesOf(body))
	if len(files) == 0 {
		return ""
	}
	return explain.ChatForeign(*d.writerOf(s), files, time.Now())
}

// hookBeside tells a chat that begins in the work tree of a live run who works there.
func (d *Daemon) hookBeside(s run.State) string {
	return explain.ChatBeside(*d.writerOf(s), time.Now())
}

// within takes a work tree for a run within this daemon, or says who has it.
func (d *Daemon) within(project, cause, except string) (release func(), err error) {
	release, err = d.fleet.Hold(project, cause, except)
	if s, live := d.fleet.LiveIn(project, except); err != nil && live && except == "" {
		return nil, d.besides(s)
	}
	return release, err
}

// besideRun is how a run works beside another. A chat that joins has a command of its
// own for that.
const besideRun = "apctl run --worktree ..."

// offered says who holds a work tree, as data too, and that one may work beside it.
func (d *Daemon) offered(why error, except string) error {
	err := d.claims.Fault(why)
	var e *wire.Error
	if except != "" || !errors.As(err, &e) || e.Code != wire.Conflict {
		return err
	}
	with := *e
	with.Hint = besideRun + "   works beside it, in a work tree of its own\n" + e.Hint
	with.Writer = d.holderView(why)
	return &with
}

// asJoin words what a chat that joins is offered for the command that it came with.
func asJoin(err error) error {
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.Conflict {
		return err
	}
	with := *e
	with.Hint = strings.Replace(e.Hint, besideRun, "apctl session join --worktree ...", 1)
	return &with
}

// holderView is who has the claim on a work tree, as far as that is known here.
func (d *Daemon) holderView(why error) *wire.WriterView {
	var held *claim.HeldError
	var marked *claim.MarkedError
	switch {
	case errors.As(why, &held):
		if s, ok := d.fleet.State(held.State.Owner.Run); ok {
			return d.writerOf(s)
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
