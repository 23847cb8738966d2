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
	"autopilot/projections/host"
)

// hostLog is the writer of the host's own events, and what they fold to. All of
// it may be used from many goroutines.
type hostLog struct {
	journal *journal
	agg     events.Aggregate

	writing sync.Mutex // one append at a time
	now     atomic.Pointer[host.State]
}

// openHostLog folds the events of a host. One that cannot be read is an error
// in the daemon's log and breaks what follows it, not the daemon.
func openHostLog(ctx context.Context, j *journal, id string, l *slog.Logger) (*hostLog, error) {
	h := &hostLog{journal: j, agg: events.Host(id)}
	h.now.Store(&host.State{})
	if _, _, err := h.read(ctx, nil); errors.Is(err, log.ErrDamaged) {
		l.Error("read a stored event", "subject", h.agg.Subject(), "error", err)
		s := h.state()
		s.Log.Broken = s.Log.Seq + 1
		h.now.Store(&s)
	} else if err != nil {
		return nil, fmt.Errorf("read the events of the host: %w", err)
	}
	return h, nil
}

// state is the host as it is now.
func (h *hostLog) state() host.State { return *h.now.Load() }

// errHostLog: what the host's events say cannot be relied on.
var errHostLog = errors.New("the record of this host is not whole")

// whole is the state, if its log holds together.
func (h *hostLog) whole() (host.State, error) {
	s := h.state()
	if s.Log.Broken > 0 {
		return s, fmt.Errorf("%w from event %d on", errHostLog, s.Log.Broken)
	}
	return s, nil
}

// append stores a fact about the host and answers the event. When the outcome
// is unknown it reads the log again, so that the event is neither lost nor
// stored twice. cause is the id of the request, if there is one.
func (h *hostLog) append(ctx context.Context, d events.Data, actor, cause string) (events.Event, error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	if _, err := h.whole(); err != nil {
		return events.Event{}, err
	}
	tried := map[string]bool{}
	var err error
	for range announceTries {
		s := h.state()
		var e events.Event
		e, err = h.journal.Append(ctx, events.Event{
			Aggregate: h.agg, Seq: s.Log.Seq + 1, Actor: actor, Causation: cause, Data: d,
		}, false)
		if err == nil {
			h.fold(e)
			return e, nil
		}
		if !errors.Is(err, engine.ErrMoved) || ctx.Err() != nil {
			break
		}
		tried[e.ID] = true // it may still be on its way when the next one is sent
		if stored, ok, rerr := h.read(ctx, tried); ok {
			return stored, nil
		} else if rerr != nil {
			err = errors.Join(err, rerr)
		}
	}
	return events.Event{}, fmt.Errorf("store %s: %w", d.EventType(), err)
}

// read folds what is stored behind the state, and finds among it an event that
// was tried.
func (h *hostLog) read(ctx context.Context, tried map[string]bool) (found events.Event, ok bool, err error) {
	for stored, err := range h.journal.log.Read(ctx, h.agg, h.state().Log.Seq) {
		if err != nil {
			return found, ok, err
		}
		e := stored.Event
		follows := e.PrevHash == h.journal.hash(h.agg.ID)
		h.journal.note(stored)
		h.fold(e)
		if s := h.state(); !follows && s.Log.Broken == 0 {
			s.Log.Broken = e.Seq
			h.now.Store(&s)
		}
		if tried[e.ID] {
			found, ok = e, true
		}
	}
	return found, ok, nil
}

func (h *hostLog) fold(e events.Event) {
	s := host.Evolve(h.state(), e)
	h.now.Store(&s)
}
