package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/engine"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// sessionJoin lets a chat drive the run of its workspace, and starts one if that
// is asked for. A run that is over is reported, and never begun again.
func (d *Daemon) sessionJoin(ctx context.Context, q bus.Request, body wire.SessionJoinRequest) (wire.SessionView, error) {
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.SessionView{}, err
	}
	s, err := d.joinable(ctx, q, body)
	if err != nil || s.Status == run.Over {
		return d.sessionView(ctx, s, false), d.joinFault(who, s, err)
	}
	cmd := engine.Join{SessionJoined: who.SessionJoined}
	if by := s.Driver; by != nil && !who.Is(by.SessionJoined) && d.chats.Gone(by.SessionJoined) {
		cmd.Gone = by.SessionJoined
	}
	if s.Driver != nil && who.Is(s.Driver.SessionJoined) {
		return d.sessionView(ctx, s, true), nil
	}
	s, err = d.fleet.Do(ctx, s.ID, cmd, who.Actor, "")
	if err != nil {
		if errors.Is(err, engine.ErrDriven) {
			return wire.SessionView{}, d.joinFault(who, s, err)
		}
		return wire.SessionView{}, d.sessionFault("join", s, err)
	}
	d.peers.JoinDriver(ctx, who, d.text(s.Facts.Workspace), q.ID)
	return d.sessionView(ctx, s, true), nil
}

// joinable is the run that a chat joins: the one that is named, the one of the
// workspace that is open, or a new one. The same task again is the same run.
func (d *Daemon) joinable(ctx context.Context, q bus.Request, body wire.SessionJoinRequest) (run.State, error) {
	known, err := d.drivenRun(ctx, body.RunRef)
	var none *wire.Error
	switch {
	case body.Start == nil || body.Run != "":
		return known, err
	case errors.As(err, &none) && none.Code == wire.NotFound:
	case err != nil:
		return known, err
	case d.text(known.Facts.Task) == body.Start.Spec.Task && (known.Status != run.Over || known.End.State == events.EndDone):
		return known, nil
	case known.Status != run.Over:
		h := known.Facts.Handle
		return known, wire.Errorf(wire.Conflict, "run %s is driven by a chat in this workspace, and is about another task", h).
			WithHint("apctl session join %s   goes on with it; apctl cancel %s   ends it", h, h)
	}
	body.Start.Spec.Driver = events.DriverSession
	v, err := d.runStart(ctx, q, *body.Start)
	if err != nil {
		return run.State{}, asJoin(err)
	}
	s, ok := d.fleet.State(v.ID)
	if !ok {
		return s, fmt.Errorf("read run %s", v.Handle)
	}
	return s, nil
}

// drivenRun finds the run that a chat means: without a name the one of its
// workspace that is driven by a chat and open, else the latest of those.
func (d *Daemon) drivenRun(ctx context.Context, ref wire.RunRef) (run.State, error) {
	if ref.Run != "" {
		s, err := d.find(ctx, ref)
		if err == nil && !s.Driven() {
			err = d.sessionFault("drive", s, engine.ErrNotDriven)
		}
		return s, err
	}
	ws, err := d.worker.Workspace(ctx, wire.RunSpec{Workspace: ref.Workspace})
	if err != nil {
		return run.State{}, err
	}
	var latest run.State
	for _, h := range d.fleet.Heads() {
		if h.Project != ws.ID || h.Status == run.Over && latest.ID != "" { // of those that are over the newest is of interest
			continue
		}
		s, err := d.fleet.Read(h)
		switch {
		case err != nil:
			return s, err
		case s.Driven() && s.Status != run.Over:
			return s, nil
		case latest.ID == "":
			latest = s
		}
	}
	switch {
	case latest.Driven():
		return latest, nil
	case latest.Status == run.Live:
		return latest, d.sessionFault("drive", latest, engine.ErrNotDriven)
	}
	return run.State{}, wire.Errorf(wire.NotFound, "no chat drives a run in %s", ws.Path).
		WithHint(`apctl session join "WHAT SHALL BE DONE" --gate NAME=CMD   starts one`)
}

// sessionNext says what to do next. It waits while the daemon is at work.
func (d *Daemon) sessionNext(ctx context.Context, q bus.Request, body wire.SessionNextRequest) (wire.SessionView, error) {
	most := time.Duration(body.WaitMS) * time.Millisecond
	if most < 0 || most > wire.MaxSessionWait {
		return wire.SessionView{}, wire.Errorf(wire.Usage, "a wait of %v is not taken", most).WithHint("at most %v", wire.MaxSessionWait)
	}
	s, err := d.drivenRun(ctx, body.RunRef)
	if err != nil {
		return wire.SessionView{}, err
	}
	if s.Status != run.Over {
		if _, err := d.drives(q, s); err != nil {
			return wire.SessionView{}, err
		}
	}
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		changed := d.fleet.Wait()
		if s, err = d.find(ctx, wire.RunRef{Run: s.ID}); err != nil {
			return wire.SessionView{}, err
		}
		if !d.atWork(s) {
			return d.sessionView(ctx, s, s.Status != run.Over), nil
		}
		select {
		case <-changed:
		case <-late.C:
			return d.sessionView(ctx, s, true), nil
		case <-ctx.Done():
			return wire.SessionView{}, context.Cause(ctx)
		}
	}
}

// atWork says that the daemon does something about a run of a chat now: nothing
// is to be done, and nobody asked, before it has.
func (d *Daemon) atWork(s run.State) bool {
	return s.Status == run.Live && s.Stage != run.Agent && s.Stage != run.Asking
}

// sessionSubmit takes the work of an iteration.
func (d *Daemon) sessionSubmit(ctx context.Context, q bus.Request, body wire.SessionSubmitRequest) (wire.SessionView, error) {
	sub, bad := wire.ParseSubmission(body.Submission)
	if bad != nil {
		return wire.SessionView{}, bad
	}
	return d.deliver(ctx, q, body.RunRef, delivered{sub.Effect, sub.Phase, sub.Iteration}, work.Delivery{
		Claim: events.Claim(sub.Claim), Summary: sub.Summary, Ask: wire.Ask{Reason: sub.Reason}, Evidence: sub.Evidence,
		Report: sub.Report(), Red: sub.Red,
	})
}

// sessionAsk ends an iteration with a question to a person.
func (d *Daemon) sessionAsk(ctx context.Context, q bus.Request, body wire.SessionAskRequest) (wire.SessionView, error) {
	if bad := body.Check(); bad != nil {
		return wire.SessionView{}, bad
	}
	return d.deliver(ctx, q, body.RunRef, delivered{body.Effect, body.Phase, body.Iteration}, work.Delivery{
		Claim: events.ClaimProgress, Ask: body.Ask,
	})
}

// delivered is what a delivery belongs to.
type delivered struct {
	effect, phase string
	iteration     int
}

// deliver hands the work of an iteration over. What was taken is taken once: the
// same request again has the same answer.
func (d *Daemon) deliver(ctx context.Context, q bus.Request, ref wire.RunRef, at delivered, by work.Delivery) (wire.SessionView, error) {
	s, err := d.drivenRun(ctx, ref)
	if err != nil {
		return wire.SessionView{}, err
	}
	who, err := d.drives(q, s)
	if err != nil {
		return wire.SessionView{}, err
	}
	if q.ID != "" && s.Asked == q.ID && s.Last.Agent.Effect == at.effect {
		return d.takenView(ctx, s), nil
	}
	if err := onTarget(s, at); err != nil {
		return wire.SessionView{}, err
	}
	ctx, done := d.lasting(ctx) // the chat may leave before it is stored
	defer done()
	ended, err := d.worker.Deliver(ctx, s, by)
	if errors.Is(err, work.ErrDelivering) {
		return wire.SessionView{}, wire.Errorf(wire.Conflict, "iteration %d of run %s is being delivered already", at.iteration, s.Facts.Handle).
			WithHint("apctl session next --wait 10m   says what comes of it")
	}
	if err != nil {
		return wire.SessionView{}, fmt.Errorf("take what was delivered: %w", err)
	}
	defer d.worker.Delivered(s.ID)
	after, err := d.fleet.Do(ctx, s.ID, engine.Report{Data: ended}, who.Actor, q.ID)
	if err != nil {
		return wire.SessionView{}, d.sessionFault("deliver to", after, err)
	}
	return d.takenView(ctx, after), nil
}

// onTarget refuses what does not belong to the iteration that waits.
func onTarget(s run.State, at delivered) error {
	l, h := s.Last.Start, s.Facts.Handle
	refuse := func(format string, args ...any) error {
		return wire.Errorf(wire.Conflict, "run %s: "+format, append([]any{h}, args...)...).WithHint("apctl session next %s   says what is to be done now", h)
	}
	open := s.Status == run.Live && s.Stage == run.Agent
	switch {
	case s.Status == run.Over:
		return refuse("it is over: %s", s.End.State)
	case s.Status == run.Halted:
		return refuse("it is halted: %s", s.Halt.Reason)
	case !open && at.effect == s.Last.Agent.Effect:
		return refuse("iteration %d was delivered already", s.Last.Agent.Iteration)
	case !open:
		return refuse("no work of a chat is open now")
	case at.phase != string(l.Phase):
		return refuse("it is in phase %s, not in %.40q", l.Phase, at.phase)
	case at.iteration != l.Iteration:
		return refuse("it is at iteration %d, not at %d", l.Iteration, at.iteration)
	case at.effect != l.Effect:
		return refuse("effect %.40q is not the one that is open", at.effect)
	case s.Stop == events.StopNow || s.Stop == events.StopCancel:
		return refuse("it was stopped")
	}
	return nil
}

// sessionLeave lets the run wait for another chat.
func (d *Daemon) sessionLeave(ctx context.Context, q bus.Request, body wire.RunRef) (wire.SessionView, error) {
	s, err := d.drivenRun(ctx, body)
	if err != nil {
		return wire.SessionView{}, err
	}
	who, err := d.drives(q, s)
	if err != nil {
		return wire.SessionView{}, err
	}
	s, err = d.fleet.Do(ctx, s.ID, engine.Leave{SessionJoined: s.Driver.SessionJoined}, who.Actor, q.ID)
	if err != nil {
		return wire.SessionView{}, d.sessionFault("leave", s, err)
	}
	return d.sessionView(ctx, s, false), nil
}

// sessionView is what a chat is told of a run.
func (d *Daemon) sessionView(ctx context.Context, s run.State, joined bool) wire.SessionView {
	if s.ID == "" {
		return wire.SessionView{}
	}
	s.Facts.Language = events.English // of texts to agents
	v := wire.SessionView{Run: d.view(s), Joined: joined, Next: []wire.NextCommand{}, Waits: waitsFor(s)}
	v.Run.Language = string(s.Facts.Language)
	_, v.Says = explain.Why(s)
	if v.Waits == "person" && joined && d.mayAnswer(s) == nil {
		v.MayAnswer, v.Next = true, append(v.Next, chatAnswer(s))
	}
	if v.Waits != "" {
		v.Next = append(v.Next, idle(s, joined)...)
		return v
	}
	w, err := d.worker.ChatWork(ctx, s)
	if err != nil {
		d.cfg.Log.Error("tell a chat what to do", "run", s.ID, "error", err)
		v.Says += "; what is to be done cannot be read: see the daemon's log"
		return v
	}
	if joined {
		v.Work = w
	}
	return v
}

// idle is what a chat does that has nothing to work on: one that drives the run
// waits for it. It has no terminal to follow it in, and ends nothing that goes on.
func idle(s run.State, joined bool) []wire.NextCommand {
	wait := wire.NextCommand{Command: "apctl session next " + s.Facts.Handle + " --wait 10m", Why: "until there is work, a question or the end"}
	switch {
	case !joined || s.Status != run.Live:
		return explain.Next(s)
	case s.WaitsForLimit() || s.Stage == run.Asking:
		return append([]wire.NextCommand{wait}, explain.Next(s)...)
	}
	return []wire.NextCommand{wait}
}

// waitsFor names what a run does while a chat has nothing to do.
func waitsFor(s run.State) string {
	switch {
	case s.Status == run.Over:
		return "over"
	case s.Status == run.Halted:
		return "halted"
	case s.WaitsForLimit():
		return "limit"
	}
	switch s.Stage {
	case run.Agent:
		return ""
	case run.Started, run.Gates:
		return "gates"
	case run.Looking:
		return "looking"
	case run.Asking:
		return "person"
	case run.Ended, run.Judged, run.Ready:
	}
	return "deciding"
}

// takenView adds what was taken, from what is stored of it.
func (d *Daemon) takenView(ctx context.Context, s run.State) wire.SessionView {
	v, a := d.sessionView(ctx, s, true), s.Last.Agent
	v.Taken = &wire.SessionTaken{
		Effect: a.Effect, Phase: string(a.Phase), Iteration: a.Iteration, Claim: string(a.Claim), Tree: string(a.Tree), Files: a.Files,
	}
	return v
}

// sessionFault says why a chat was refused.
func (d *Daemon) sessionFault(verb string, s run.State, err error) error {
	h := s.Facts.Handle
	switch {
	case errors.Is(err, engine.ErrNotDriven):
		return wire.Errorf(wire.Conflict, "run %s is driven by its own agent, not by a chat", h).
			WithHint(`apctl session join "WHAT SHALL BE DONE" --gate NAME=CMD   starts one that is`)
	case errors.Is(err, engine.ErrDriven) && s.Driver != nil:
		return d.othersRun(s)
	case errors.Is(err, engine.ErrStale):
		return wire.Errorf(wire.Conflict, "run %s has gone on meanwhile, so nothing was taken", h).WithHint("apctl session next %s   says what is to be done now", h)
	case errors.Is(err, engine.ErrOver):
		return wire.Errorf(wire.Conflict, "run %s is over", h).WithHint("apctl why %s   says how it ended", h)
	}
	return aboutRun(verb, h, err)
}
