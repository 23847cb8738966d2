package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/events"
	"autopilot/projections/run"
)

// append stores what the daemon has to say of a run. It waits for room and for
// an answer, and returns when the event is stored, when the log has moved on,
// or when ctx has ended. Commands are answered meanwhile: a full store must not
// keep anyone from stopping its runs. What moves the run drops the event, which
// Next asks for again if it is still due.
func (a *Actor) append(ctx context.Context, d events.Data) error {
	before := a.State().Log.Seq
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, recheck) {
		err := a.store(ctx, d, events.ActorDaemon(a.cfg.Host), "")
		if err == nil || errors.Is(err, events.ErrMoved) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.cfg.Log.Error("append an event", "run", a.State().ID, "type", d.EventType(), "error", err)
		a.setFull(errors.Is(err, events.ErrNoRoom))
		if err := a.serve(ctx, wait, func(q request) error { return a.command(ctx, q) }); err != nil {
			return err
		}
		if a.State().Log.Seq != before {
			return nil
		}
	}
}

// store appends one event and folds it. With events.ErrMoved the state was loaded
// anew.
func (a *Actor) store(ctx context.Context, d events.Data, actor, cause string) error {
	s := a.State()
	stored, err := a.cfg.Journal.Append(ctx, events.Event{
		Aggregate: events.Run(s.ID), Seq: s.Log.Seq + 1, Actor: actor, Causation: cause, Data: d,
	}, closing(d))
	switch {
	case err == nil:
		a.set(run.Evolve(s, stored))
		a.cfg.Changed(a.State())
		a.closed(ctx, d)
	case errors.Is(err, events.ErrMoved):
		if rerr := a.reload(ctx); rerr != nil {
			return rerr
		}
	}
	return err
}

// closing events may use the reserve of the quota, so that a full store can
// still be told how its runs ended.
func closing(d events.Data) bool {
	switch d.(type) {
	case events.RunHalted, events.RunEnded, events.AgentEnded, events.RoleEnded, events.StopRequested:
		return true
	}
	return false
}

// closed tells the worker of what was closed. Its error is logged only: the
// tree of an iteration is recorded before, this names it.
func (a *Actor) closed(ctx context.Context, d events.Data) {
	switch d.(type) {
	case events.IterationRecorded, events.RunHalted, events.RunEnded:
	default:
		return
	}
	// It is short, and worth finishing when the daemon is about to end.
	if err := a.cfg.Worker.Recorded(context.WithoutCancel(ctx), a.State()); err != nil {
		a.cfg.Log.Error("keep a recorded tree", "run", a.State().ID, "error", err)
	}
}

// reload loads the state anew, for as long as it takes. Commands that come
// meanwhile are answered with why it takes long.
func (a *Actor) reload(ctx context.Context) error {
	for wait := time.Second; ; wait = min(2*wait, recheck) {
		s, err := a.cfg.Journal.Load(ctx, a.State().ID)
		if err == nil {
			a.set(s)
			a.cfg.Changed(s)
			a.closed(ctx, latest(s))
			return nil
		}
		a.cfg.Log.Error("load a run", "run", a.State().ID, "error", err)
		refuse := func(q request) error {
			q.reply <- answer{a.State(), fmt.Errorf("load the run: %w", err)}
			return nil
		}
		if err := a.serve(ctx, wait, refuse); err != nil {
			return err
		}
	}
}

// latest is an event that closes what the state says is closed: it may be the
// one whose outcome was unknown.
func latest(s run.State) events.Data {
	switch {
	case s.End != nil:
		return *s.End
	case s.Halt != nil:
		return *s.Halt
	case s.Stage == run.Ready && s.Loop.Iteration > 0:
		return s.Last.Record
	}
	return nil
}
