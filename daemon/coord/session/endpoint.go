package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Join lets a chat drive the run of its workspace, and starts one if that
// is asked for. A run that is over is reported, and never begun again.
func (k *Drivers) Join(ctx context.Context, q auth.Request, body wire.SessionJoinRequest) (wire.SessionView, error) {
	who, err := k.cfg.Chats.Of(q)
	if err != nil {
		return wire.SessionView{}, err
	}
	s, err := k.joinable(ctx, q, body)
	if err != nil || s.Status == run.Over {
		return k.view(ctx, s, false), k.joinFault(who, s, err)
	}
	cmd := engine.Join{SessionJoined: who.SessionJoined}
	if by := s.Driver; by != nil && !who.Is(by.SessionJoined) && k.cfg.Chats.Gone(by.SessionJoined) {
		cmd.Gone = by.SessionJoined
	}
	if s.Driver != nil && who.Is(s.Driver.SessionJoined) {
		return k.view(ctx, s, true), nil
	}
	s, err = k.cfg.Runs.Do(ctx, s.ID, cmd, who.Actor, "")
	if err != nil {
		if errors.Is(err, engine.ErrDriven) {
			return wire.SessionView{}, k.joinFault(who, s, err)
		}
		return wire.SessionView{}, k.fault("join", s, err)
	}
	k.cfg.Peers.JoinDriver(ctx, who, k.cfg.Text(s.Facts.Workspace), q.ID)
	return k.view(ctx, s, true), nil
}

// joinable is the run that a chat joins: the one that is named, the one of the
// workspace that is open, or a new one. The same task again is the same run.
func (k *Drivers) joinable(ctx context.Context, q auth.Request, body wire.SessionJoinRequest) (run.State, error) {
	known, err := k.Driven(ctx, body.RunRef)
	var none *wire.Error
	switch {
	case body.Start == nil || body.Run != "":
		return known, err
	case errors.As(err, &none) && none.Code == wire.NotFound:
	case err != nil:
		return known, err
	case k.cfg.Text(known.Facts.Task) == body.Start.Spec.Task && (known.Status != run.Over || known.End.State == events.EndDone):
		return known, nil
	case known.Status != run.Over:
		h := known.Facts.Handle
		return known, wire.Errorf(wire.Conflict, "run %s is driven by a chat in this workspace, and is about another task", h).
			WithHint("apctl session join %s   goes on with it; apctl cancel %s   ends it", h, h)
	}
	body.Start.Spec.Driver = events.DriverSession
	v, err := k.cfg.Verbs.Start(ctx, q, *body.Start)
	if err != nil {
		return run.State{}, err
	}
	s, ok := k.cfg.Runs.State(v.ID)
	if !ok {
		return s, fmt.Errorf("read run %s", v.Handle)
	}
	return s, nil
}

// Driven finds the run that a chat means: without a name the one of its
// workspace that is driven by a chat and open, else the latest of those.
func (k *Drivers) Driven(ctx context.Context, ref wire.RunRef) (run.State, error) {
	if ref.Run != "" {
		s, err := k.cfg.Verbs.Find(ctx, ref)
		if err == nil && !s.Driven() {
			err = k.fault("drive", s, engine.ErrNotDriven)
		}
		return s, err
	}
	ws, err := k.cfg.Worker.Workspace(ctx, ref.Workspace)
	if err != nil {
		return run.State{}, err
	}
	var latest run.State
	for _, h := range k.cfg.Runs.Heads() {
		if h.Project != ws.ID || h.Status == run.Over && latest.ID != "" { // of those that are over the newest is of interest
			continue
		}
		s, err := k.cfg.Runs.Read(h)
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
		return latest, k.fault("drive", latest, engine.ErrNotDriven)
	}
	return run.State{}, wire.Errorf(wire.NotFound, "no chat drives a run in %s", ws.Path).
		WithHint(`apctl session join "WHAT SHALL BE DONE" --gate NAME=CMD   starts one`)
}

// Next says what to do next. It waits while the daemon is at work.
func (k *Drivers) Next(ctx context.Context, q auth.Request, body wire.SessionNextRequest) (wire.SessionView, error) {
	most := time.Duration(body.WaitMS) * time.Millisecond
	if most < 0 || most > wire.MaxSessionWait {
		return wire.SessionView{}, wire.Errorf(wire.Usage, "a wait of %v is not taken", most).WithHint("at most %v", wire.MaxSessionWait)
	}
	s, err := k.Driven(ctx, body.RunRef)
	if err != nil {
		return wire.SessionView{}, err
	}
	if s.Status != run.Over {
		if _, err := k.drives(q, s); err != nil {
			return wire.SessionView{}, err
		}
	}
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		changed := k.cfg.Runs.Wait()
		if s, err = k.cfg.Verbs.Find(ctx, wire.RunRef{Run: s.ID}); err != nil {
			return wire.SessionView{}, err
		}
		if !k.atWork(s) {
			return k.view(ctx, s, s.Status != run.Over), nil
		}
		select {
		case <-changed:
		case <-late.C:
			return k.view(ctx, s, true), nil
		case <-ctx.Done():
			return wire.SessionView{}, context.Cause(ctx)
		}
	}
}

// atWork says that the daemon does something about a run of a chat now: nothing
// is to be done, and nobody asked, before it has.
func (k *Drivers) atWork(s run.State) bool {
	return s.Status == run.Live && s.Stage != run.Agent && s.Stage != run.Asking
}

// Submit takes the work of an iteration.
func (k *Drivers) Submit(ctx context.Context, q auth.Request, body wire.SessionSubmitRequest) (wire.SessionView, error) {
	sub, bad := wire.ParseSubmission(body.Submission)
	if bad != nil {
		return wire.SessionView{}, bad
	}
	return k.deliver(ctx, q, body.RunRef, delivered{sub.Effect, sub.Phase, sub.Iteration}, work.Delivery{
		Claim: events.Claim(sub.Claim), Summary: sub.Summary, Ask: wire.Ask{Reason: sub.Reason}, Evidence: sub.Evidence,
		Report: sub.Report(), Red: sub.Red,
	})
}

// Ask ends an iteration with a question to a person.
func (k *Drivers) Ask(ctx context.Context, q auth.Request, body wire.SessionAskRequest) (wire.SessionView, error) {
	if bad := body.Check(); bad != nil {
		return wire.SessionView{}, bad
	}
	return k.deliver(ctx, q, body.RunRef, delivered{body.Effect, body.Phase, body.Iteration}, work.Delivery{
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
func (k *Drivers) deliver(ctx context.Context, q auth.Request, ref wire.RunRef, at delivered, by work.Delivery) (wire.SessionView, error) {
	s, err := k.Driven(ctx, ref)
	if err != nil {
		return wire.SessionView{}, err
	}
	who, err := k.drives(q, s)
	if err != nil {
		return wire.SessionView{}, err
	}
	if q.ID != "" && s.Asked == q.ID && s.Last.Agent.Effect == at.effect {
		return k.taken(ctx, s), nil
	}
	if err := onTarget(s, at); err != nil {
		return wire.SessionView{}, err
	}
	ctx, done := k.cfg.Lasting(ctx) // the chat may leave before it is stored
	defer done()
	ended, err := k.cfg.Worker.Deliver(ctx, s, by)
	if errors.Is(err, work.ErrDelivering) {
		return wire.SessionView{}, wire.Errorf(wire.Conflict, "a delivery of iteration %d of run %s is already in progress", at.iteration, s.Facts.Handle).
			WithHint("apctl session next --wait 10m   shows its result")
	}
	if err != nil {
		return wire.SessionView{}, fmt.Errorf("take what was delivered: %w", err)
	}
	defer k.cfg.Worker.Delivered(s.ID)
	after, err := k.cfg.Runs.Do(ctx, s.ID, engine.Report{Data: ended}, who.Actor, q.ID)
	if err != nil {
		return wire.SessionView{}, k.fault("deliver to", after, err)
	}
	return k.taken(ctx, after), nil
}

// onTarget refuses what does not belong to the iteration that waits.
func onTarget(s run.State, at delivered) error {
	l, h := s.Last.Start, s.Facts.Handle
	refuse := func(format string, args ...any) error {
		return wire.Errorf(wire.Conflict, "run %s: "+format, append([]any{h}, args...)...).WithHint("apctl session next %s   gives the present work", h)
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
		return refuse("no work is open for a chat")
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

// Leave lets the run wait for another chat.
func (k *Drivers) Leave(ctx context.Context, q auth.Request, body wire.RunRef) (wire.SessionView, error) {
	s, err := k.Driven(ctx, body)
	if err != nil {
		return wire.SessionView{}, err
	}
	who, err := k.drives(q, s)
	if err != nil {
		return wire.SessionView{}, err
	}
	s, err = k.cfg.Runs.Do(ctx, s.ID, engine.Leave{SessionJoined: s.Driver.SessionJoined}, who.Actor, q.ID)
	if err != nil {
		return wire.SessionView{}, k.fault("leave", s, err)
	}
	return k.view(ctx, s, false), nil
}
