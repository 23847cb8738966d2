package daemon

import (
	"context"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// runReplay folds a run again and shows it after each event as it was then, or
// with a position only there, explained.
func (d *Daemon) runReplay(ctx context.Context, q bus.Request, body wire.ReplayRequest, send func(any) error) error {
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	last := uint64(0)
	if body.At != "" {
		if last, err = d.position(ctx, s, body.At); err != nil {
			return err
		}
	}
	var then run.State
	for stored, err := range d.log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return err
		}
		e := stored.Event
		then = run.Evolve(then, e)
		if last != 0 && e.Seq < last {
			continue
		}
		f := wire.ReplayFrame{
			Seq: e.Seq, At: e.Time, Type: e.Data.EventType(), Line: explain.Line(then, e), View: d.viewAt(then, e.Time),
		}
		if last != 0 {
			w, err := d.why(ctx, then, f.View)
			if err != nil {
				return err
			}
			w = forCaller(q, w)
			f.Why = &w
			return send(f)
		}
		if err := send(f); err != nil {
			return err
		}
	}
	return nil
}

// position finds the last event that had been stored at a moment: SEQ itself,
// the end of iteration:N, or a time.
func (d *Daemon) position(ctx context.Context, s run.State, at string) (uint64, error) {
	if seq, err := strconv.ParseUint(at, 10, 64); err == nil {
		if seq < 1 || seq > s.Log.Seq {
			return 0, wire.Errorf(wire.NotFound, "run %s has no event %d: it has 1 to %d", s.Facts.Handle, seq, s.Log.Seq)
		}
		return seq, nil
	}
	var upTo func(events.Event) bool
	if n, ok := strings.CutPrefix(at, "iteration:"); ok {
		k, err := strconv.Atoi(n)
		if err != nil || k < 0 {
			return 0, badPosition(at)
		}
		upTo = ofIteration(k)
	} else {
		t, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return 0, badPosition(at)
		}
		end := t.Truncate(time.Second).Add(time.Second) // shown times have no fractions
		upTo = func(e events.Event) bool { return e.Time.Before(end) }
	}
	found := uint64(0)
	for stored, err := range d.log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return 0, err
		}
		if upTo(stored.Event) {
			found = stored.Event.Seq
		}
	}
	if found == 0 {
		return 0, wire.Errorf(wire.NotFound, "run %s has nothing at %s: it began at %s", s.Facts.Handle, at,
			s.Clock.Started.Format(time.RFC3339)).WithHint("apctl events %s   lists its events", s.Facts.Handle)
	}
	return found, nil
}

func badPosition(at string) error {
	return wire.Errorf(wire.Usage, "%q is no position", at).
		WithHint("give an event's number, iteration:N, or a time as 2026-01-02T15:04:05Z")
}

// ofIteration says which events belong to an iteration; 0 is the baseline.
func ofIteration(k int) func(events.Event) bool {
	return func(e events.Event) bool {
		switch d := e.Data.(type) {
		case events.IterationStarted:
			return d.Iteration == k
		case events.AgentEnded:
			return d.Iteration == k
		case events.GatesStarted:
			return d.Iteration == k
		case events.GatesJudged:
			return d.Iteration == k
		case events.IterationRecorded:
			return d.Iteration == k
		}
		return false
	}
}
