package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"autopilot/events"
)

// pause is the wait before an event is sent again that is known not to be
// stored; it doubles with every attempt.
const pause = 100 * time.Millisecond

// Append stores one event. See Log.
func (s *Stream) Append(ctx context.Context, e events.Event, c Class) (Stored, error) {
	st, err := encoded(e)
	if err != nil {
		return Stored{}, fmt.Errorf("append: %w", err)
	}
	w := write{Stored: st, class: c}
	s.told.appending(st)
	position, err := s.write(ctx, &w)
	if err != nil {
		s.told.failed(st, err)
		// Whatever the tail was, the next append asks for it anew.
		s.tails.drop(e.Aggregate)
		return Stored{}, fmt.Errorf("append %s to %s: %w", e.Data.EventType(), e.Aggregate, err)
	}
	w.Position = position
	s.told.stored(w.Stored)
	s.acknowledged(position)
	s.tails.put(e.Aggregate, tail{position, e.Seq, w.Hash})
	w.Cursor = place{s.generation, position, w.Hash}.cursor()
	return w.Stored, nil
}

// encoded is e as it is stored, and as readers will get it.
func encoded(e events.Event) (Stored, error) {
	body, err := events.Encode(e)
	if err != nil {
		return Stored{}, err
	}
	if e, err = events.AsRead(e, body); err != nil {
		return Stored{}, err
	}
	return Stored{Subject: e.Aggregate.Subject(), Event: e, Bytes: body, Hash: events.Hash(body)}, nil
}

// write is one append under way.
type write struct {
	Stored
	class Class
	size  int64
}

// write stores w and answers its position.
func (s *Stream) write(ctx context.Context, w *write) (uint64, error) {
	t, ok := s.tails.get(w.Event.Aggregate)
	if !ok || !follows(w.Event, t.seq, t.hash) {
		var err error
		if t, err = s.loadTail(ctx, w.Subject); err != nil {
			return 0, err
		}
	}
	switch {
	case t.seq == w.Event.Seq && t.hash == w.Hash:
		return t.position, nil
	case !follows(w.Event, t.seq, t.hash):
		return 0, ErrConflict
	}
	w.size = storedSize(w.Subject, t.position, len(w.Bytes)) + s.named().overhead(w.Subject)
	if err := s.makeRoom(ctx, w); err != nil {
		return 0, err
	}
	return s.send(ctx, w, t)
}

// send publishes w on top of t until its outcome is known.
func (s *Stream) send(ctx context.Context, w *write, t tail) (uint64, error) {
	var cause error
	for attempt := range maxAttempts {
		if attempt > 0 && !wait(ctx, pause<<(attempt-1)) {
			break
		}
		position, err := s.publish(ctx, w, t)
		var r *refusal
		refused := errors.As(err, &r) && !r.unclear()
		switch {
		case err == nil:
			s.room.stored(position, w.size)
			return position, nil
		case refused && attempt == 0:
			return 0, r.reason()
		case errors.Is(err, nats.ErrConnectionClosed):
			return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		// A refusal of a later attempt says nothing of an earlier one, which
		// may have arrived late.
		cause = err
		position, found, err := s.outcome(ctx, w, t)
		switch {
		case errors.Is(err, ErrConflict):
			return 0, err
		case err != nil:
			return 0, fmt.Errorf("%w, after %w", err, cause)
		case found:
			s.room.stored(position, w.size)
			return position, nil
		case refused:
			return 0, r.reason()
		}
	}
	if err := ctx.Err(); err != nil {
		cause = err
	}
	return 0, fmt.Errorf("%w: %w", ErrUnavailable, cause)
}

func (s *Stream) publish(ctx context.Context, w *write, t tail) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.AckTimeout)
	defer cancel()
	return s.conn.publish(ctx, w.Subject, t.position, w.Bytes)
}

// outcome looks at what is right behind t on the subject: w itself, something
// else (ErrConflict), or nothing. Nothing may still change, as a message that
// is in flight arrives late; but then the next attempt finds it here, because
// both carry the same condition and only one of them can be stored.
func (s *Stream) outcome(ctx context.Context, w *write, t tail) (uint64, bool, error) {
	m, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.next(ctx, w.Subject, t.position+1) })
	switch {
	case errors.Is(err, errNoMessage):
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case events.Hash(m.body) == w.Hash:
		return m.position, true, nil
	}
	return 0, false, ErrConflict
}

// loadTail asks the leader where an aggregate ends.
func (s *Stream) loadTail(ctx context.Context, subject string) (tail, error) {
	m, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.last(ctx, subject) })
	switch {
	case errors.Is(err, errNoMessage):
		return tail{}, nil
	case err != nil:
		return tail{}, fmt.Errorf("read its end: %w: %w", ErrUnavailable, err)
	}
	st, err := s.decoded(m) // a foreign event is behind the tail, too
	if err != nil {
		return tail{}, fmt.Errorf("read its end: %w", err)
	}
	return tail{m.position, st.Event.Seq, st.Hash}, nil
}

// makeRoom refuses w if it does not fit into its part of the quota.
func (s *Stream) makeRoom(ctx context.Context, w *write) error {
	if s.room.fits(w.size, w.class) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.AckTimeout)
	defer cancel()
	state, err := s.conn.state(ctx)
	if err != nil {
		return fmt.Errorf("read usage: %w: %w", ErrUnavailable, err)
	}
	s.room.refresh(state)
	if !s.room.fits(w.size, w.class) {
		return ErrFull
	}
	return nil
}

// wait pauses and says whether ctx is still alive.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
