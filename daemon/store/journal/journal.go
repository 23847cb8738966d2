// Package journal writes the events of aggregates.
//
// A Journal gives events their id, time and the hash of their predecessor, and refuses
// ordinary ones on a disk that is nearly full. An Aggregate is the only writer in this
// process of one aggregate that is no run (runs have an actor, daemon/run/engine), together
// with what its events fold to: of an append whose outcome is unknown it reads the log
// again, so that an event is neither lost nor stored twice. All of it may be used from
// many goroutines; it starts none.
package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Journal writes the events of runs and of the host: it gives them id, time and
// the hash of their predecessor.
type Journal struct {
	Log    log.Log
	source string
	Now    func() time.Time

	// Disk, if it has a directory, is looked at before each append.
	Disk disk.Ballast

	// Pause, if it is not 0, is the first wait for what another writer is storing; each one
	// after it is twice as long.
	Pause time.Duration
	// Named hears of the texts that a stored event names.
	Named func(...events.Ref)

	mu   sync.Mutex
	tail map[string]string // id of a run or host to the hash of its last stored event
}

// New is a journal in a log.
func New(l log.Log, host string, now func() time.Time) *Journal {
	return &Journal{Log: l, source: events.SourceOf(host), Now: now, Named: func(...events.Ref) {}, tail: map[string]string{}}
}

// Append implements engine.Journal.
func (j *Journal) Append(ctx context.Context, e events.Event, closing bool) (events.Event, error) {
	e.ID, e.Time, e.Source = NewID(j.Now()), j.Now().UTC(), j.source
	e.PrevHash = j.Hash(e.Aggregate.ID)
	class := log.Ordinary
	if closing {
		class = log.Closing
	}
	if err := j.makeRoom(closing); err != nil {
		return e, err
	}
	failpoint.Hit(failpoint.BeforeAppend)
	stored, err := j.Log.Append(ctx, e, class)
	failpoint.Hit(failpoint.AfterAppend)
	switch {
	case err == nil:
		j.Note(stored)
		j.Named(events.Refs(stored.Event.Data)...)
		return stored.Event, nil
	case errors.Is(err, log.ErrConflict), errors.Is(err, log.ErrUnavailable):
		return e, fmt.Errorf("%w: %w", events.ErrMoved, err)
	case errors.Is(err, log.ErrFull):
		return e, fmt.Errorf("%w: %w", events.ErrNoRoom, err)
	}
	return e, err
}

// makeRoom refuses ordinary events on a disk that is nearly full, and gives up
// the ballast for the others.
func (j *Journal) makeRoom(closing bool) error {
	if j.Disk.Dir == "" || !j.Disk.Low() {
		return nil
	}
	if closing {
		return j.Disk.Release()
	}
	return fmt.Errorf("%w: less than %d MiB are left on the disk of %s", events.ErrNoRoom, disk.Floor>>20, j.Disk.Dir)
}

// Load implements engine.Journal. An event that is not what was stored breaks the
// log of the run.
func (j *Journal) Load(ctx context.Context, id string) (run.State, error) {
	var s run.State
	tail := ""
	for stored, err := range j.Log.Read(ctx, events.Run(id), 0) {
		if errors.Is(err, log.ErrDamaged) {
			if s.Log.Broken == 0 {
				s.Log.Broken = s.Log.Seq + 1
			}
			if seq := stored.Event.Seq; seq > 0 { // it takes its place
				s.Log.Seq, tail = seq, stored.Hash
				j.Note(stored)
			}
			continue
		}
		if err != nil {
			return s, err
		}
		s, tail = snapshot.Follow(s, stored, tail), stored.Hash
		j.Note(stored)
	}
	return s, nil
}

// Note remembers a stored event as the last of its aggregate.
func (j *Journal) Note(s log.Stored) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail[s.Event.Aggregate.ID] = s.Hash
}

// Remember takes where an aggregate ends from a snapshot.
func (j *Journal) Remember(id, hash string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail[id] = hash
}

// Hash is that of the last stored event of an aggregate, empty if it is not known.
func (j *Journal) Hash(id string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tail[id]
}

// NewID is a ULID of a time.
func NewID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}
