package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"autopilot/daemon/engine"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
)

// fold is how the events of a kind of aggregate become its state.
type fold[S any] struct {
	evolve func(S, events.Event) S
	log    func(*S) *chain.Log // the part of the state that knows of its log
}

// record is the only writer of an aggregate, and what it folds to. All of it may
// be used from many goroutines.
type record[S any] struct {
	journal *journal
	agg     events.Aggregate
	fold    fold[S]

	writing sync.Mutex // one append at a time
	now     atomic.Pointer[S]
}

// openRecord folds the events of an aggregate. One that cannot be read is an
// error in the daemon's log and breaks what follows it, not the daemon.
func openRecord[S any](ctx context.Context, j *journal, agg events.Aggregate, f fold[S], l *slog.Logger) (*record[S], error) {
	r := newRecord(j, agg, f)
	if _, _, err := r.read(ctx, nil); errors.Is(err, log.ErrDamaged) {
		l.Error("read a stored event", "subject", agg.Subject(), "error", err)
		r.breaks()
	} else if err != nil {
		return nil, fmt.Errorf("read the events of the %s: %w", agg.Kind, err)
	}
	return r, nil
}

// newRecord is the writer of an aggregate of which nothing was read yet.
func newRecord[S any](j *journal, agg events.Aggregate, f fold[S]) *record[S] {
	r := &record[S]{journal: j, agg: agg, fold: f}
	r.now.Store(new(S))
	return r
}

// state is the aggregate as it is now.
func (r *record[S]) state() S { return *r.now.Load() }

// answered says that the latest event is what a request has asked for: its answer was
// lost, and it is asked once more.
func (r *record[S]) answered(ctx context.Context, cause string) bool {
	seq := r.seq()
	if cause == "" || seq == 0 {
		return false
	}
	for stored, err := range r.journal.log.Read(ctx, r.agg, seq-1) {
		return err == nil && stored.Event.Causation == cause
	}
	return false
}

// seq is that of the latest event.
func (r *record[S]) seq() uint64 { return r.fold.log(r.now.Load()).Seq }

// errRecord: what the events of an aggregate say cannot be relied on.
var errRecord = errors.New("is not whole")

// whole is the state, if its log holds together.
func (r *record[S]) whole() (S, error) {
	s := r.state()
	if broken := r.fold.log(&s).Broken; broken > 0 {
		return s, fmt.Errorf("the record of this %s %w from event %d on", r.agg.Kind, errRecord, broken)
	}
	return s, nil
}

func (r *record[S]) breaks() {
	s := r.state()
	if l := r.fold.log(&s); l.Broken == 0 {
		l.Broken = l.Seq + 1
		r.now.Store(&s)
	}
}

// append stores a fact and answers the event. When the outcome is unknown it
// reads the log again, so that the event is neither lost nor stored twice. cause
// is the id of the request, if there is one.
func (r *record[S]) append(ctx context.Context, d events.Data, actor, cause string) (events.Event, error) {
	return r.decide(ctx, func(S) (events.Data, error) { return d, nil }, actor, cause)
}

// decide is append of what follows from the state: whenever another writer was
// quicker it is asked again, so that nothing is stored that was decided before.
//
// Source: session-orchestrator, seeds 6.1, S19: two starters both believed that
// they had it.
func (r *record[S]) decide(ctx context.Context, f func(S) (events.Data, error), actor, cause string) (events.Event, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	tried := map[string]bool{}
	var d events.Data
	var err error
	for range announceTries {
		s, werr := r.whole()
		if werr != nil {
			return events.Event{}, werr
		}
		if d, err = f(s); err != nil {
			return events.Event{}, err
		}
		seq := r.seq()
		var e events.Event
		e, err = r.journal.Append(ctx, events.Event{
			Aggregate: r.agg, Seq: seq + 1, Actor: actor, Causation: cause, Data: d,
		}, false)
		if err == nil {
			r.add(e)
			return e, nil
		}
		if !errors.Is(err, engine.ErrMoved) || ctx.Err() != nil {
			break
		}
		tried[e.ID] = true // it may still be on its way when the next one is sent
		if stored, ok, rerr := r.read(ctx, tried); ok {
			return stored, nil
		} else if rerr != nil {
			err = errors.Join(err, rerr)
		}
	}
	return events.Event{}, fmt.Errorf("store %s: %w", d.EventType(), err)
}

// read folds what is stored behind the state, and finds among it an event that
// was tried.
func (r *record[S]) read(ctx context.Context, tried map[string]bool) (found events.Event, ok bool, err error) {
	after := r.seq()
	for stored, err := range r.journal.log.Read(ctx, r.agg, after) {
		if err != nil {
			return found, ok, err
		}
		r.take(stored)
		if e := stored.Event; tried[e.ID] {
			found, ok = e, true
		}
	}
	return found, ok, nil
}

// take folds an event that is stored behind the state.
func (r *record[S]) take(stored log.Stored) {
	if stored.Event.PrevHash != r.journal.hash(r.agg.ID) {
		r.breaks()
	}
	r.journal.note(stored)
	r.add(stored.Event)
}

// hear takes an event that another writer may have stored. One that is known is
// left alone, and so is one that others come before: a read finds them.
func (r *record[S]) hear(stored log.Stored) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if stored.Event.Seq == r.seq()+1 {
		r.take(stored)
	}
}

// refresh reads what others have stored.
func (r *record[S]) refresh(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	_, _, err := r.read(ctx, nil)
	return err
}

func (r *record[S]) add(e events.Event) {
	s := r.fold.evolve(r.state(), e)
	r.now.Store(&s)
}
