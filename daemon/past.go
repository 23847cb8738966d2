package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/store/filestore"
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

// longRead is how many events are sooner read from the files of the store than
// sent by its server.
const longRead = 1000

// past keeps the events of the run that was looked back on last: who asks for
// one state of it asks for others, and to read and decode is most of the work.
// The zero value is ready.
type past struct {
	streams string // directory of the store's files; empty reads none

	mu   sync.Mutex
	has  stretch
	last *time.Timer // forgets
}

// stretch is the events of a run from its first one on.
type stretch struct {
	id       string
	list     []events.Event // shared with readers: never changed in place
	bytes    int
	stream   string // that the last one is stored in, empty where that is not known
	position uint64
}

// read is the events of a run up to one of them, or more. With an error it is
// those before what cannot be read.
func (p *past) read(ctx context.Context, l log.Log, s run.State, last uint64) ([]events.Event, error) {
	has := p.get(s.ID)
	if latest(has.list) >= last {
		return has.list, nil
	}
	has, err := p.goOn(ctx, l, has, last)
	if err == nil {
		p.keep(has)
	}
	return has.list, err
}

// goOn reads what comes behind a stretch: a long rest from the files, else to
// the end of the run from the log.
func (p *past) goOn(ctx context.Context, l log.Log, has stretch, last uint64) (stretch, error) {
	if more, err := p.fromFiles(has, last); err == nil {
		return more, nil
	}
	for stored, err := range l.Read(ctx, events.Run(has.id), latest(has.list)) {
		if err != nil {
			return has, err
		}
		has.list, has.bytes = append(has.list, stored.Event), has.bytes+len(stored.Bytes)
		has.stream, has.position, _ = log.Placed(stored.Cursor)
		if stored.Event.Seq > 1 || last < longRead {
			continue
		}
		if more, err := p.fromFiles(has, last); err == nil {
			return more, nil
		}
	}
	return has, nil
}

// errAskServer says that the files do not have what is wanted as it should be.
// What is wrong with it is for the log to say.
var errAskServer = errors.New("ask the server of the store")

func (p *past) fromFiles(has stretch, last uint64) (stretch, error) {
	if p.streams == "" || has.stream == "" {
		return has, errAskServer
	}
	n := int(last - latest(has.list))
	records, err := filestore.Subject(p.streams, has.stream, events.Run(has.id).Subject(), has.position, n)
	if err != nil {
		return has, err
	}
	if has.list, err = decodeBehind(has.list, records); err != nil {
		return has, err
	}
	for _, r := range records {
		has.bytes += len(r.Message)
		has.position = r.Position
	}
	return has, nil
}

// portion is how many events are decoded in one go.
const portion = 256

// decodeBehind is a list with the events behind it, which all cores decode.
func decodeBehind(list []events.Event, records []filestore.Record) ([]events.Event, error) {
	before := len(list)
	all := slices.Concat(list, make([]events.Event, len(records)))
	errs := make([]error, (len(records)+portion-1)/portion)
	var wg sync.WaitGroup
	for i := range errs {
		from := i * portion
		wg.Go(func() {
			for k, r := range records[from:min(from+portion, len(records))] {
				e, err := events.Decode(r.Message)
				if err != nil || e.Aggregate != list[0].Aggregate || e.Seq != uint64(before+from+k+1) {
					errs[i] = errAskServer
					return
				}
				all[before+from+k] = e
			}
		})
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

func (p *past) get(id string) stretch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has.id != id {
		return stretch{id: id}
	}
	p.last.Reset(pastFor)
	has := p.has
	has.list = slices.Clip(has.list)
	return has
}

func (p *past) keep(has stretch) {
	if has.bytes > pastBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has.id == has.id && latest(p.has.list) > latest(has.list) {
		return // somebody else has read more
	}
	p.has = has
	if p.last == nil {
		p.last = time.AfterFunc(pastFor, p.forget)
	}
	p.last.Reset(pastFor)
}

func (p *past) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.has = stretch{}
}
