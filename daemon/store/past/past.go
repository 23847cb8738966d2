// Package past keeps the events of the run that was looked back on last: whoever wants
// one state of it wants others, and to read and decode is most of the work.
//
// It reads them from the log, and a long rest from the files of the store. It owns no
// truth: what it keeps is forgotten after a minute, and where the files do not have what
// is wanted, the log says what is wrong. A Past may be used from many goroutines.
package past

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/log"
)

// Bounds of what is kept of a run that is looked back on: bytes as they are
// stored, and time without a look.
const (
	pastBytes = 16 << 20
	pastFor   = time.Minute
)

// LongRead is how many events are sooner read from the files of the store than
// sent by its server.
const LongRead = 1000

// Past keeps the events of one run. The zero value is ready.
type Past struct {
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

// Read is the events of a run up to one of them, or more. With an error it is
// those before what cannot be read. The directory of the store's files may be empty:
// then none is read.
func (p *Past) Read(ctx context.Context, l log.Log, streams, id string, last uint64) ([]events.Event, error) {
	has := p.get(id)
	if Latest(has.list) >= last {
		return has.list, nil
	}
	has, err := p.goOn(ctx, l, streams, has, last)
	if err == nil {
		p.keep(has)
	}
	return has.list, err
}

// goOn reads what comes behind a stretch: a long rest from the files, else to
// the end of the run from the log.
func (p *Past) goOn(ctx context.Context, l log.Log, streams string, has stretch, last uint64) (stretch, error) {
	if more, err := fromFiles(streams, has, last); err == nil {
		return more, nil
	}
	for stored, err := range l.Read(ctx, events.Run(has.id), Latest(has.list)) {
		if err != nil {
			return has, err
		}
		has.list, has.bytes = append(has.list, stored.Event), has.bytes+len(stored.Bytes)
		has.stream, has.position, _ = log.Placed(stored.Cursor)
		if stored.Event.Seq > 1 || last < LongRead {
			continue
		}
		if more, err := fromFiles(streams, has, last); err == nil {
			return more, nil
		}
	}
	return has, nil
}

// errAskServer says that the files do not have what is wanted as it should be.
// What is wrong with it is for the log to say.
var errAskServer = errors.New("ask the server of the store")

func fromFiles(streams string, has stretch, last uint64) (stretch, error) {
	if streams == "" || has.stream == "" {
		return has, errAskServer
	}
	n := int(last - Latest(has.list))
	records, err := filestore.Subject(streams, has.stream, events.Run(has.id).Subject(), has.position, n)
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

func (p *Past) get(id string) stretch {
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

func (p *Past) keep(has stretch) {
	if has.bytes > pastBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has.id == has.id && Latest(p.has.list) > Latest(has.list) {
		return // somebody else has read more
	}
	p.has = has
	if p.last == nil {
		p.last = time.AfterFunc(pastFor, p.forget)
	}
	p.last.Reset(pastFor)
}

func (p *Past) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.has = stretch{}
}

// Latest is the sequence of the last event; 0 for none.
func Latest(list []events.Event) uint64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].Seq
}
