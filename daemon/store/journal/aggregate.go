package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
)

// Fold is how the events of a kind of aggregate become its state.
type Fold[S any] struct {
	Evolve func(S, events.Event) S
	Log    func(*S) *chain.Log // the part of the state that knows of its log
}

// Aggregate is the only writer of an aggregate, and what it folds to. All of it may
// be used from many goroutines.
type Aggregate[S any] struct {
	journal *Journal
	Of      events.Aggregate // whose it is
	fold    Fold[S]

	writing sync.Mutex // one append at a time
	now     atomic.Pointer[S]
}

// Open folds the events of an aggregate. One that cannot be read is an
// error in the daemon's log and breaks what follows it, not the daemon.
func Open[S any](ctx context.Context, j *Journal, agg events.Aggregate, f Fold[S], l *slog.Logger) (*Aggregate[S], error) {
	r := NewAggregate(j, agg, f)
	if err := r.Refresh(ctx); errors.Is(err, log.ErrDamaged) {
		l.Error("read a stored event", "subject", agg.Subject(), "error", err)
		r.Break()
	} else if err != nil {
		return nil, fmt.Errorf("read the events of the %s: %w", agg.Kind, err)
	}
	return r, nil
}

// OpenAt is Open of an aggregate whose latest event is known and says all that counts:
// what came before it is not read.
func OpenAt[S any](j *Journal, last log.Stored, f Fold[S]) *Aggregate[S] {
	r := NewAggregate(j, last.Event.Aggregate, f)
	last.Cut = last.Event.Seq > 1
	r.Take(last)
	return r
}

// NewAggregate is the writer of an aggregate of which nothing was read yet.
func NewAggregate[S any](j *Journal, agg events.Aggregate, f Fold[S]) *Aggregate[S] {
	r := &Aggregate[S]{journal: j, Of: agg, fold: f}
	r.now.Store(new(S))
	return r
}

// State is the aggregate as it is now.
func (a *Aggregate[S]) State() S { return *a.now.Load() }

// Answered says that the latest event is what a request has asked for: its answer was
// lost, and it is asked once more.
func (a *Aggregate[S]) Answered(ctx context.Context, cause string) bool {
	seq := a.Seq()
	if cause == "" || seq == 0 {
		return false
	}
	for stored, err := range a.journal.Log.Read(ctx, a.Of, seq-1) {
		return err == nil && stored.Event.Causation == cause
	}
	return false
}

// Seq is that of the latest event.
func (a *Aggregate[S]) Seq() uint64 { return a.fold.Log(a.now.Load()).Seq }

// Tries bounds how often an event is stored whose outcome is unknown.
const Tries = 5

// ErrNotWhole says that what the events of an aggregate say cannot be relied on.
var ErrNotWhole = errors.New("is not whole")

// Whole is the state, if its log holds together.
func (a *Aggregate[S]) Whole() (S, error) {
	s := a.State()
	if broken := a.fold.Log(&s).Broken; broken > 0 {
		return s, fmt.Errorf("the record of this %s %w from event %d on", a.Of.Kind, ErrNotWhole, broken)
	}
	return s, nil
}

// Break says that what follows the latest event cannot be relied on.
func (a *Aggregate[S]) Break() {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.breakLocked()
}

func (a *Aggregate[S]) breakLocked() {
	s := a.State()
	if l := a.fold.Log(&s); l.Broken == 0 {
		l.Broken = l.Seq + 1
		a.now.Store(&s)
	}
}

// Append stores a fact and answers the event. When the outcome is unknown it
// reads the log again, so that the event is neither lost nor stored twice. cause
// is the id of the request, if there is one.
func (a *Aggregate[S]) Append(ctx context.Context, d events.Data, actor, cause string) (events.Event, error) {
	return a.Decide(ctx, func(S) (events.Data, error) { return d, nil }, actor, cause)
}

// Decide is Append of what follows from the state: whenever another writer was
// quicker it is asked again, so that nothing is stored that was decided before.
//
// Source: session-orchestrator, seeds 6.1, S19: two starters both believed that
// they had it.
func (a *Aggregate[S]) Decide(ctx context.Context, f func(S) (events.Data, error), actor, cause string) (events.Event, error) {
	a.writing.Lock()
	defer a.writing.Unlock()
	tried := map[string]bool{}
	var d events.Data
	var err error
	for try := range Tries {
		s, werr := a.Whole()
		if werr != nil {
			return events.Event{}, werr
		}
		if d, err = f(s); err != nil {
			return events.Event{}, err
		}
		seq := a.Seq()
		var e events.Event
		e, err = a.journal.Append(ctx, events.Event{
			Aggregate: a.Of, Seq: seq + 1, Actor: actor, Causation: cause, Data: d,
		}, false)
		if err == nil {
			a.add(e)
			return e, nil
		}
		if !errors.Is(err, events.ErrMoved) || ctx.Err() != nil {
			break
		}
		tried[e.ID] = true // it may still be on its way when the next one is sent
		if stored, ok, rerr := a.readLocked(ctx, tried); ok {
			return stored, nil
		} else if rerr != nil {
			err = errors.Join(err, rerr)
		}
		if pause := a.journal.Pause; pause > 0 && a.Seq() == seq && !wait(ctx, pause<<try) { // nothing new is there yet, as after an election
			break
		}
	}
	return events.Event{}, fmt.Errorf("store %s: %w", d.EventType(), err)
}

// readLocked folds what is stored behind the state, and finds among it an event that
// was tried.
func (a *Aggregate[S]) readLocked(ctx context.Context, tried map[string]bool) (found events.Event, ok bool, err error) {
	after := a.Seq()
	for stored, err := range a.journal.Log.Read(ctx, a.Of, after) {
		if err != nil {
			return found, ok, err
		}
		a.takeLocked(stored)
		if e := stored.Event; tried[e.ID] {
			found, ok = e, true
		}
	}
	return found, ok, nil
}

// Take folds an event that is stored behind the state.
func (a *Aggregate[S]) Take(stored log.Stored) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.takeLocked(stored)
}

func (a *Aggregate[S]) takeLocked(stored log.Stored) {
	if stored.Cut { // all that counts follows from here
		var s S
		*a.fold.Log(&s) = chain.From(stored.Event.Seq)
		a.now.Store(&s)
	} else if stored.Event.PrevHash != a.journal.Hash(a.Of.ID) {
		a.breakLocked()
	}
	a.journal.Note(stored)
	a.add(stored.Event)
}

// Hear takes an event that another writer may have stored. One that is known is
// left alone, and so is one that others come before: a read finds them.
func (a *Aggregate[S]) Hear(stored log.Stored) {
	a.writing.Lock()
	defer a.writing.Unlock()
	if stored.Event.Seq == a.Seq()+1 {
		a.takeLocked(stored)
	}
}

// Refresh reads what others have stored.
func (a *Aggregate[S]) Refresh(ctx context.Context) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	_, _, err := a.readLocked(ctx, nil)
	return err
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (a *Aggregate[S]) add(e events.Event) {
	s := a.fold.Evolve(a.State(), e)
	a.now.Store(&s)
}
