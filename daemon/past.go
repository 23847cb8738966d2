package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Bounds of what is kept of a run that is looked back on: bytes as they are
// stored, and time without a look.
const (
	pastBytes = 16 << 20
	pastFor   = time.Minute
)

// past keeps the events of the run that was looked back on last: who asks for
// one state of it asks for others, and to read and decode is most of the work.
// The zero value is ready.
type past struct {
	mu    sync.Mutex
	id    string
	list  []events.Event // shared with readers: never changed in place
	bytes int
	last  *time.Timer // forgets
}

// read is the events of a run up to its present state. With an error it is those
// before what cannot be read.
func (p *past) read(ctx context.Context, l log.Log, s run.State) ([]events.Event, error) {
	list, bytes := p.get(s.ID)
	if latest(list) >= s.Log.Seq {
		return list, nil
	}
	for stored, err := range l.Read(ctx, events.Run(s.ID), latest(list)) {
		if err != nil {
			return list, err
		}
		list, bytes = append(list, stored.Event), bytes+len(stored.Bytes)
	}
	p.keep(s.ID, list, bytes)
	return list, nil
}

func (p *past) get(id string) (list []events.Event, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id != id {
		return nil, 0
	}
	p.last.Reset(pastFor)
	return slices.Clip(p.list), p.bytes
}

func (p *past) keep(id string, list []events.Event, bytes int) {
	if bytes > pastBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id == id && latest(p.list) > latest(list) {
		return // somebody else has read more
	}
	p.id, p.list, p.bytes = id, list, bytes
	if p.last == nil {
		p.last = time.AfterFunc(pastFor, p.forget)
	}
	p.last.Reset(pastFor)
}

func (p *past) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.list, p.bytes = "", nil, 0
}
