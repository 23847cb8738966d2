package api

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"time"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// RunEvents sends the stored events of a run, or of everything. A stream that ends by
// itself ends with a frame that has the cursor to go on from.
func (a *Looks) RunEvents(ctx context.Context, _ auth.Request, body wire.EventsRequest, send func(wire.EventFrame) error) error {
	w, err := newFilter(body)
	if err != nil {
		return err
	}
	if body.Every {
		return a.allEvents(ctx, body, w, send)
	}
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if body.After > s.Log.Seq {
		return noSuchEvent(s, body.After)
	}
	r := runReader{a: a.Views, id: s.ID, after: body.After, wanted: w, send: send}
	for {
		changed := a.Fleet.Wait()
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		now, _ := a.Fleet.State(s.ID)
		if still := now.Status == run.Over || a.Fleet.IsImported(s.ID); !body.Follow || still && now.Log.Seq <= r.seq {
			return send(wire.EventFrame{Cursor: seqCursor(max(r.seq, body.After)), End: true})
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// noSuchEvent reports a position behind the end of the log. Such a position is of another
// store, or of a store restored from an older copy. The oldest cursor is the start.
func noSuchEvent(s run.State, after uint64) error {
	e := wire.Errorf(wire.CursorExpired, "run %s has no event %d: its last is %d", s.Facts.Handle, after, s.Log.Seq).
		WithHint("begin again with --after 0")
	e.Cursor = seqCursor(0)
	return e
}

// seqCursor is the cursor behind the event with that sequence in the log of one run.
// Unlike a cursor over all logs it never expires.
func seqCursor(seq uint64) string { return strconv.FormatUint(seq, 10) }

// runReader reads a run's log repeatedly: each time the new events.
type runReader struct {
	a      *Views
	id     string
	after  uint64
	wanted filter
	send   func(wire.EventFrame) error
	state  run.State
	seq    uint64 // of the latest event read, damaged ones included
}

func (r *runReader) catchUp(ctx context.Context) error {
	for stored, err := range r.a.Log.Read(ctx, events.Run(r.id), r.seq) {
		f := wire.EventFrame{}
		switch {
		case errors.Is(err, log.ErrDamaged):
			r.seq++
			f.Damaged = err.Error()
		case err != nil:
			return err
		default:
			r.seq = stored.Event.Seq
			r.state = run.Evolve(r.state, stored.Event)
			f.Event, f.Line = stored.Bytes, explain.Line(r.a.Spoken(r.state), stored.Event)
		}
		if f.Cursor = seqCursor(r.seq); r.seq <= r.after || !r.wanted.has(stored, err) {
			continue
		}
		if err := r.send(f); err != nil {
			return err
		}
	}
	return nil
}

func (a *Looks) allEvents(ctx context.Context, body wire.EventsRequest, w filter, send func(wire.EventFrame) error) error {
	read := a.Log.ReadAll
	if body.Follow {
		read = a.Log.Follow
	}
	cursor := log.Cursor(body.Cursor)
	for stored, err := range read(ctx, cursor) {
		f := wire.EventFrame{Cursor: string(stored.Cursor), Event: stored.Bytes}
		if errors.Is(err, log.ErrDamaged) && stored.Cursor != "" {
			f.Event, f.Damaged = nil, err.Error()
		} else if err != nil {
			return cursorError(err)
		}
		cursor = stored.Cursor
		if !w.has(stored, err) {
			continue
		}
		if err := send(f); err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return send(wire.EventFrame{Cursor: string(cursor), End: true})
}

// filter selects the events to send.
type filter struct {
	types []string
	since time.Time
}

func newFilter(body wire.EventsRequest) (filter, error) {
	for _, t := range body.Types {
		if _, err := path.Match(t, ""); err != nil {
			return filter{}, wire.Errorf(wire.Usage, "%q is not a pattern of event types: %v", t, err).
				WithHint("write it like run.halted, run.* or *.v1")
		}
	}
	return filter{body.Types, body.Since}, nil
}

// has judges each event by itself: after a clock went back, later events may have older
// times. A damaged event has neither type nor time, and always passes.
func (w filter) has(stored log.Stored, damaged error) bool {
	e := stored.Event
	if damaged != nil {
		return true
	}
	return !e.Time.Before(w.since) && (len(w.types) == 0 || slices.ContainsFunc(w.types, func(t string) bool { return isOf(e.Data.EventType(), t) }))
}

// isOf says that a type matches a pattern, with or without its version.
func isOf(name, pattern string) bool {
	whole, _ := path.Match(pattern, name)
	if whole {
		return true
	}
	short, _ := path.Match(pattern, name[:len(name)-len(path.Ext(name))])
	return short
}
