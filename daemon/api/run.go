package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// RunStart begins a run. It goes on when its client leaves, so that a start is announced
// whole or not at all.
func (a *Runs) RunStart(ctx context.Context, q auth.Request, body wire.StartRequest) (wire.RunView, error) {
	if s, ok := a.Fleet.Requested(ctx, q.ID); ok {
		return a.View(s), nil
	}
	ctx = context.WithoutCancel(ctx)
	if a.Daemon.Draining() {
		return wire.RunView{}, wire.Errorf(wire.Conflict, "the daemon is draining and takes no new run").
			WithHint("apctl daemon restart")
	}
	conf, err := a.projects.configure(ctx, body, time.Now())
	if err != nil {
		return wire.RunView{}, err
	}
	if err := a.ofChat(q, body, &conf); err != nil {
		return wire.RunView{}, err
	}
	ws, err := a.Worker.Workspace(ctx, body.Spec.Workspace)
	if err != nil {
		return wire.RunView{}, err
	}
	if err := a.checkBudget(ctx, conf); err != nil {
		return wire.RunView{}, err
	}
	if err := a.Sessions.Nested(q, ws.ID); err != nil {
		return wire.RunView{}, err
	}
	person, unhanded, err := a.handsOver(q, body)
	if err != nil {
		return wire.RunView{}, err
	}
	ctx, done := a.watched(ctx, q.ID)
	defer done()
	id := journal.NewID(time.Now())
	handle := a.Fleet.NewHandle(id)
	release, err := a.hold(ctx, ws.ID, ws.Path, id, handle, q.ID, "")
	if err != nil {
		return wire.RunView{}, err
	}
	defer release()
	s, err := a.announce(ctx, q, id, handle, conf, func(started *events.RunStarted) { unhanded = begins(started, person, unhanded) })
	if small, ok := errors.AsType[work.ExpressError](err); ok {
		return wire.RunView{Express: string(small)}, nil
	}
	if err != nil {
		return wire.RunView{}, err
	}
	v := a.View(s)
	v.Unhanded = unhanded
	v.TaskPins, v.Hidden, v.Lacks = a.Worker.TaskPins(id), a.Worker.Hidden(id), a.Worker.Lacks(id)
	if held, err := a.Worker.Held(s); err == nil && held != nil {
		v.InSight = held.InSight
	}
	v.IndexLock = lockedSince(ctx, a.Language(s), ws.Path)
	return v, nil
}

// announce prepares a run whose work tree is held, and begins it.
func (a *Runs) announce(ctx context.Context, q auth.Request, id, handle string, conf configured, edit func(*events.RunStarted)) (run.State, error) {
	started, err := a.Worker.Prepare(ctx, id, conf.Order, conf.Agents, conf.Redact)
	if err != nil {
		return run.State{}, err
	}
	if started.Config, err = a.projects.keepConfig(ctx, conf); err != nil {
		return run.State{}, errors.Join(err, a.Worker.DropSecret(id))
	}
	started.Handle, started.Owner, started.Home, started.Version = handle, q.Actor, a.HostID, a.Version
	a.Raise(&started)
	edit(&started)
	s, err := a.Fleet.Begin(ctx, id, started, q.Actor, q.ID)
	if err != nil {
		return run.State{}, errors.Join(err, a.Worker.DropSecret(id))
	}
	return s, nil
}

// RunPreview answers what RunStart would begin, and begins nothing.
func (a *Runs) RunPreview(ctx context.Context, q auth.Request, body wire.StartRequest) (wire.Preview, error) {
	conf, err := a.projects.configure(ctx, body, time.Now())
	if err != nil {
		return wire.Preview{}, err
	}
	if err := a.ofChat(q, body, &conf); err != nil {
		return wire.Preview{}, err
	}
	if err := a.checkBudget(ctx, conf); err != nil {
		return wire.Preview{}, err
	}
	ctx, done := a.watched(ctx, q.ID)
	defer done()
	p, err := a.Worker.Preview(ctx, conf.Order, conf.Agents, conf.Redact)
	p.Settings = slices.DeleteFunc(conf.Used, func(v wire.ConfigValue) bool {
		name, is := strings.CutPrefix(v.Key, "gates.")
		return is && err == nil && !slices.ContainsFunc(p.Gates, func(g wire.GateSpec) bool { return string(g.Name) == name })
	})
	return p, err
}

// RunGet answers one run.
func (a *Runs) RunGet(ctx context.Context, _ auth.Request, ref wire.RunRef) (wire.RunView, error) {
	s, err := a.Find(ctx, ref)
	if err != nil {
		return wire.RunView{}, err
	}
	v := a.View(s)
	v.Git = a.gitLines(s)
	return v, nil
}

// defaultList is how many finished runs a list has beside the others.
const defaultList = 10

// RunList lists runs, newest first; without All only the latest of the finished runs.
func (a *Runs) RunList(ctx context.Context, _ auth.Request, body wire.ListRequest) (wire.ListReply, error) {
	project := ""
	if body.Workspace != "" {
		ws, err := a.Worker.Workspace(ctx, body.Workspace)
		if err != nil {
			return wire.ListReply{}, err
		}
		project = ws.ID
	}
	reply := wire.ListReply{Runs: []wire.RunView{}, Language: string(a.ScreenLanguage())}
	over := 0
	heads := a.Fleet.Heads
	if body.All {
		heads = a.Fleet.AllHeads
	}
	for _, h := range heads() {
		if project != "" && !h.Belongs(project) {
			continue
		}
		if h.Status == run.Over {
			over++
		}
		full := body.Limit > 0 && len(reply.Runs) >= body.Limit
		if full || !body.All && h.Status == run.Over && over > defaultList {
			reply.More++
			continue
		}
		s, err := a.Fleet.Read(h)
		if err != nil {
			return reply, err
		}
		reply.Runs = append(reply.Runs, a.View(s))
	}
	return reply, nil
}

// RunStop stops runs after their iteration, or at once.
func (a *Runs) RunStop(ctx context.Context, q auth.Request, body wire.StopRequest) (wire.StopReply, error) {
	mode := events.StopAfterIteration
	if body.Now {
		mode = events.StopNow
	}
	return a.stopRuns(ctx, q, body, mode)
}

// RunCancel ends runs for good.
func (a *Runs) RunCancel(ctx context.Context, q auth.Request, body wire.StopRequest) (wire.StopReply, error) {
	return a.stopRuns(ctx, q, body, events.StopCancel)
}

func (a *Runs) stopRuns(ctx context.Context, q auth.Request, body wire.StopRequest, mode events.StopMode) (wire.StopReply, error) {
	var targets []run.State
	if body.All {
		for _, h := range a.Fleet.Heads() {
			if h.Status != run.Live {
				continue
			}
			if s, ok := a.Fleet.State(h.ID); ok {
				targets = append(targets, s)
			}
		}
	} else {
		body.LiveOnly = body.Run == ""
		s, err := a.Find(ctx, body.RunRef)
		if err != nil {
			return wire.StopReply{}, err
		}
		targets = append(targets, s)
	}
	return a.stopEach(ctx, q, targets, mode, body.All)
}

// stopEach stops runs at once, and goes on after a failure: a caller that stops all runs
// is in a hurry. With all, a run that ends meanwhile is no fault.
func (a *Runs) stopEach(ctx context.Context, q auth.Request, targets []run.State, mode events.StopMode, all bool) (wire.StopReply, error) {
	verb := "stop"
	if mode == events.StopCancel {
		verb = "cancel"
	}
	views, errs := make([]wire.RunView, len(targets)), make([]error, len(targets))
	var wg sync.WaitGroup
	for i, s := range targets {
		wg.Go(func() {
			stopped, err := a.Fleet.Do(ctx, s.ID, engine.Stop{Mode: mode}, q.Actor, q.ID)
			if over := all && errors.Is(err, engine.ErrOver); err != nil && !over {
				errs[i] = aboutRun(verb, s.Facts.Handle, err)
			}
			views[i] = a.View(stopped)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return wire.StopReply{}, err
		}
	}
	return wire.StopReply{Runs: views}, nil
}

// RunResume resumes a halted run, or ends the wait of a live run.
func (a *Runs) RunResume(ctx context.Context, q auth.Request, body wire.ResumeRequest) (wire.RunView, error) {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return wire.RunView{}, err
	}
	if s.WaitsForLimit() && time.Now().Before(time.UnixMilli(s.Waiting.UntilMS)) {
		return a.liftRun(ctx, q, s, body)
	}
	if err := a.Fleet.Changeable(s); err != nil {
		return wire.RunView{}, err
	}
	release, err := a.hold(ctx, s.Facts.Project, a.Text(s.Facts.Workspace), s.ID, s.Facts.Handle, q.ID, s.ID)
	if err != nil {
		return wire.RunView{}, err
	}
	defer release()
	cmd, actor := engine.Resume{}, q.Actor
	if explain.Proves(s) && (explain.Lapsed(s.Halt.Reason) || body.Note == "" && body.Findings == "") {
		if cmd.Assurance, actor, err = a.afterDrift(q, s, body); err != nil {
			return wire.RunView{}, err
		}
	}
	if body.Note != "" {
		if err := work.CheckText("note", body.Note); err != nil {
			return wire.RunView{}, err
		}
		if cmd.Note, err = a.Worker.Note(ctx, s, body.Note); err != nil {
			return wire.RunView{}, fmt.Errorf("store the note: %w", err)
		}
	}
	if err := a.withFindings(ctx, s, body, &cmd); err != nil {
		return wire.RunView{}, err
	}
	if err := a.Worker.Resumable(ctx, s); err != nil {
		return wire.RunView{}, err
	}
	cmd.Changed, cmd.Moved = a.changed(ctx, s)
	cmd.Git = a.Worker.GitNow(ctx, s)
	s, err = a.Fleet.Do(ctx, s.ID, cmd, actor, q.ID)
	if h := s.Facts.Handle; errors.Is(err, engine.ErrNotHalted) && explain.Asks(s) {
		return wire.RunView{}, wire.Errorf(wire.Conflict, "run %s is not halted: it asks a person, and goes on after the answer", h).
			WithHint("apctl answer %s   shows the question, and takes your answer", h)
	}
	if err != nil {
		return wire.RunView{}, aboutRun("resume", s.Facts.Handle, err)
	}
	return a.View(s), nil
}

// withFindings adds the findings of a person to a resume, and the phase that gets them.
func (a *Runs) withFindings(ctx context.Context, s run.State, body wire.ResumeRequest, cmd *engine.Resume) (err error) {
	switch {
	case body.Findings == "" && body.Phase == "":
		return nil
	case body.Findings == "":
		return wire.Errorf(wire.Usage, "--phase needs findings").WithHint("add --findings FILE")
	}
	if cmd.Phase, err = a.Worker.SeedPhase(ctx, s, body.Phase); err != nil {
		return err
	}
	cmd.Findings, cmd.Count, err = a.Worker.Seeds(ctx, s, body.Findings)
	return err
}

// afterDrift proves the person who resumes a run whose pinned files changed.
func (a *Runs) afterDrift(q auth.Request, s run.State, body wire.ResumeRequest) (events.Assurance, string, error) {
	h := s.Facts.Handle
	again := "apctl resume " + h
	proven, actor, err := a.Consent.Prove(q)
	if err == nil {
		proven.Assurance, err = a.Consent.ToResume(s, proven.Assurance, body)
	}
	var e *wire.Error
	if errors.As(err, &e) && e.Hint == "" {
		err = e.WithHint("apctl diff %s   shows the changes: revert them, then\n%s   asks a person at a terminal", h, again)
	}
	return proven.Assurance, actor, err
}

// liftRun ends the wait of a live run for a limit, so that it tries now.
func (a *Runs) liftRun(ctx context.Context, q auth.Request, s run.State, body wire.ResumeRequest) (wire.RunView, error) {
	if body.Note != "" || body.Findings != "" {
		return wire.RunView{}, wire.Errorf(wire.Conflict, "run %s waits for a limit; only a halted run takes a note or findings", s.Facts.Handle).
			WithHint("apctl resume %s   ends the wait", s.Facts.Handle)
	}
	s, err := a.Fleet.Do(ctx, s.ID, engine.Lift{}, q.Actor, q.ID)
	if err != nil {
		return wire.RunView{}, aboutRun("resume", s.Facts.Handle, err)
	}
	return a.View(s), nil
}

// aboutRun names the run in an error and its command hints: the latest run of the
// directory may be another.
func aboutRun(verb, handle string, err error) error {
	err = Fault(fmt.Errorf("%s run %s: %w", verb, handle, err))
	var e *wire.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	for _, command := range []string{"apctl resume", "apctl status", "apctl diff"} {
		named.Hint = strings.ReplaceAll(named.Hint, command, command+" "+handle)
	}
	return &named
}

// checkBudget refuses a run whose agent cannot keep its limits.
func (a *Runs) checkBudget(ctx context.Context, conf configured) error {
	found, err := a.Flows.Of(ctx, conf.Order)
	if err != nil {
		return err
	}
	var day []work.DayLimit
	for _, b := range conf.Budgets {
		day = append(day, work.DayLimit{Kind: b.Kind, Setting: b.Setting, File: conf.file(b.Setting)})
	}
	return a.Worker.CheckBudget(conf.Order, found.Flow, conf.Agents, day)
}
