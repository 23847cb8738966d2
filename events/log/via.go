package log

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"autopilot/events"
)

// Via is a log that is elsewhere and may be out of reach: each call is made on the
// one that is found then. It is ErrUnavailable while none is.
type Via struct {
	find   func() (Log, error)
	within time.Duration
}

// NewVia makes one. A call that waits for an answer waits so long at most; find
// does not wait.
func NewVia(find func() (Log, error), within time.Duration) *Via { return &Via{find, within} }

// open is the log to ask, and how long.
func (v *Via) open(ctx context.Context) (Log, context.Context, context.CancelFunc, error) {
	l, err := v.find()
	if err != nil {
		if !errors.Is(err, ErrUnavailable) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, v.within)
	return l, ctx, cancel, nil
}

// Append stores one event. See Log.
func (v *Via) Append(ctx context.Context, e events.Event, c Class) (Stored, error) {
	l, ctx, cancel, err := v.open(ctx)
	if err != nil {
		return Stored{}, fmt.Errorf("append %s to %s: %w", e.Data.EventType(), e.Aggregate, err)
	}
	defer cancel()
	return l.Append(ctx, e, c)
}

// Read yields one aggregate's events. See Log.
func (v *Via) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[Stored, error] {
	return v.each(ctx, func(ctx context.Context, l Log) iter.Seq2[Stored, error] { return l.Read(ctx, agg, after) })
}

// ReadKind yields the events of a kind of aggregate. See Log.
func (v *Via) ReadKind(ctx context.Context, k events.Kind) iter.Seq2[Stored, error] {
	return v.each(ctx, func(ctx context.Context, l Log) iter.Seq2[Stored, error] { return l.ReadKind(ctx, k) })
}

// ReadAll yields every aggregate's events. See Log.
func (v *Via) ReadAll(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return v.each(ctx, func(ctx context.Context, l Log) iter.Seq2[Stored, error] { return l.ReadAll(ctx, from) })
}

func (v *Via) each(ctx context.Context, read func(context.Context, Log) iter.Seq2[Stored, error]) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		l, ctx, cancel, err := v.open(ctx)
		if err != nil {
			yield(Stored{}, fmt.Errorf("read events: %w", err))
			return
		}
		defer cancel()
		read(ctx, l)(yield)
	}
}

// Follow yields every aggregate's events as they are stored. See Log.
func (v *Via) Follow(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if ctx.Err() != nil {
			return
		}
		l, _, cancel, err := v.open(ctx)
		if err != nil {
			yield(Stored{}, fmt.Errorf("follow events: %w", err))
			return
		}
		cancel()
		l.Follow(ctx, from)(yield)
	}
}

// Usage asks how full the log is.
func (v *Via) Usage(ctx context.Context) (Usage, error) {
	l, ctx, cancel, err := v.open(ctx)
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	defer cancel()
	return l.Usage(ctx)
}
