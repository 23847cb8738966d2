package daemon

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// rawReplay sends a frame for each event, or the state at one position in
// pieces: that explains every iteration, and may be longer than a frame.
func (d *Daemon) rawReplay(ctx context.Context, q bus.Request, r *bus.Reply) error {
	body, err := decode[wire.ReplayRequest](q.Body)
	if err != nil {
		return err
	}
	send := func(v any) error { return r.JSON(ctx, v) }
	if body.At != "" {
		send = func(v any) error {
			return inPieces(ctx, r, func(w io.Writer) error { return json.MarshalWrite(w, v) })
		}
	}
	return d.runReplay(ctx, q, body, send)
}

// runReplay folds a run again and shows it after each event as it was then, or
// with a position only there, explained.
func (d *Daemon) runReplay(ctx context.Context, q bus.Request, body wire.ReplayRequest, send func(any) error) error {
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if body.At != "" {
		f, err := d.replayAt(ctx, s, body.At)
		if err != nil {
			return err
		}
		*f.Why = forCaller(q, *f.Why)
		return send(f)
	}
	var then run.State
	for stored, err := range d.log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return err
		}
		then = run.Evolve(then, stored.Event)
		if err := send(d.replayed(then, stored.Event)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) replayed(then run.State, e events.Event) wire.ReplayFrame {
	return wire.ReplayFrame{
		Seq: e.Seq, At: e.Time, Type: e.Data.EventType(), Line: explain.Line(d.spoken(then), e), View: d.viewAt(then, e.Time),
	}
}

// replayAt is the run as it was at a position, explained. Events behind damage
// in its log are only missed where they are asked for.
func (d *Daemon) replayAt(ctx context.Context, s run.State, at string) (f wire.ReplayFrame, err error) {
	list, unread := d.past.read(ctx, d.log, s, needed(s, at))
	last, exact, err := position(s, list, at)
	if unread != nil && (err != nil || !exact || last > latest(list)) {
		return f, unread
	}
	if err != nil {
		return f, err
	}
	var then run.State
	h := explain.History{Language: d.language(s)}
	for _, e := range list {
		then = run.Evolve(then, e)
		h.Add(e)
		if e.Seq >= last {
			f = d.replayed(then, e)
			break
		}
	}
	w, err := d.whyBy(ctx, then, f.View, h)
	f.Why = &w
	return f, err
}

// needed is the last event that must be known to find a position.
func needed(s run.State, at string) uint64 {
	if seq, err := strconv.ParseUint(at, 10, 64); err == nil {
		return min(seq, s.Log.Seq)
	}
	return s.Log.Seq
}

func latest(list []events.Event) uint64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].Seq
}

// position finds the last event that had been stored at a moment: SEQ itself,
// which is exact, the end of iteration:N, or a time.
func position(s run.State, list []events.Event, at string) (seq uint64, exact bool, err error) {
	if seq, err := strconv.ParseUint(at, 10, 64); err == nil {
		if seq < 1 || seq > s.Log.Seq {
			return 0, false, wire.Errorf(wire.NotFound, "run %s has no event %d: it has 1 to %d", s.Facts.Handle, seq, s.Log.Seq)
		}
		return seq, true, nil
	}
	upTo, err := moment(at)
	if err != nil {
		return 0, false, err
	}
	for _, e := range list {
		if upTo(e) {
			seq = e.Seq
		}
	}
	if seq == 0 {
		return 0, false, wire.Errorf(wire.NotFound, "run %s has nothing at %s: it began at %s", s.Facts.Handle, at,
			s.Clock.Started.Format(time.RFC3339)).WithHint("apctl events %s   lists its events", s.Facts.Handle)
	}
	return seq, false, nil
}

// moment says which events are not behind a position in time.
func moment(at string) (func(events.Event) bool, error) {
	if n, ok := strings.CutPrefix(at, "iteration:"); ok {
		k, err := strconv.Atoi(n)
		if err != nil || k < 0 {
			return nil, badPosition(at)
		}
		return ofIteration(k), nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil, badPosition(at)
	}
	end := t.Truncate(time.Second).Add(time.Second) // shown times have no fractions
	return func(e events.Event) bool { return e.Time.Before(end) }, nil
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
