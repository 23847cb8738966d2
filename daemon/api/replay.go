package api

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/past"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// RunReplay folds a run again and sends a frame with its state after each event. With a
// position it sends one explained state in pieces: it explains every iteration, and may
// be longer than a frame.
func (a *Looks) RunReplay(ctx context.Context, q auth.Request, body wire.ReplayRequest, send func(wire.Raw) error) error {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if body.At != "" {
		f, err := a.replayAt(ctx, s, body.At)
		if err != nil {
			return err
		}
		*f.Why = forCaller(q, *f.Why)
		return inPieces(send, func(w io.Writer) error { return json.MarshalWrite(w, f) })
	}
	var then run.State
	for stored, err := range a.Log.Read(ctx, events.Run(s.ID), 0) {
		if err != nil {
			return err
		}
		then = run.Evolve(then, stored.Event)
		b, err := json.Marshal(a.replayed(then, stored.Event))
		if err == nil {
			err = send(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *Looks) replayed(then run.State, e events.Event) wire.ReplayFrame {
	return wire.ReplayFrame{
		Seq: e.Seq, At: e.Time, Type: e.Data.EventType(), Line: explain.Line(a.Spoken(then), e), View: a.ViewAt(then, e.Time),
	}
}

// replayAt explains the run as it was at a position. Damage behind the position does not
// matter.
func (a *Looks) replayAt(ctx context.Context, s run.State, at string) (f wire.ReplayFrame, err error) {
	list, unread := a.past.Read(ctx, a.Log, filestore.StreamsIn(a.Places.State), s.ID, needed(s, at))
	last, exact, err := position(s, list, at)
	if unread != nil && (err != nil || !exact || last > past.Latest(list)) {
		return f, unread
	}
	if err != nil {
		return f, err
	}
	var then run.State
	h := explain.History{Language: a.Language(s)}
	for _, e := range list {
		then = run.Evolve(then, e)
		h.Add(e)
		if e.Seq >= last {
			f = a.replayed(then, e)
			break
		}
	}
	w, err := a.whyBy(ctx, then, f.View, h)
	f.Why = &w
	return f, err
}

// needed is the last event that the search for a position must read.
func needed(s run.State, at string) uint64 {
	if seq, err := strconv.ParseUint(at, 10, 64); err == nil {
		return min(seq, s.Log.Seq)
	}
	return s.Log.Seq
}

// position finds the last event stored by a moment. The moment is SEQ, which is exact,
// the end of iteration:N, or a time.
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

// moment selects the events up to a time.
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
	end := t.Truncate(time.Second).Add(time.Second) // people see times without fractions
	return func(e events.Event) bool { return e.Time.Before(end) }, nil
}

func badPosition(at string) error {
	return wire.Errorf(wire.Usage, "%q is not a position", at).
		WithHint("give an event's number, iteration:N, or a time as 2026-01-02T15:04:05Z")
}

// ofIteration selects the events of an iteration; 0 is the baseline.
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
