package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/engine"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// journal writes the events of runs and of the host: it gives them id, time and
// the hash of their predecessor.
type journal struct {
	log    log.Log
	source string
	now    func() time.Time

	// disk, if it has a directory, is looked at before each append.
	disk ballast

	// named hears of the texts that a stored event names.
	named func(...events.Ref)

	mu   sync.Mutex
	tail map[string]string // id of a run or host to the hash of its last stored event
}

func newJournal(l log.Log, host string, now func() time.Time) *journal {
	return &journal{log: l, source: "autopilot/" + host, now: now, named: func(...events.Ref) {}, tail: map[string]string{}}
}

// Append implements engine.Journal.
func (j *journal) Append(ctx context.Context, e events.Event, closing bool) (events.Event, error) {
	e.ID, e.Time, e.Source = newID(j.now()), j.now().UTC(), j.source
	e.PrevHash = j.hash(e.Aggregate.ID)
	class := log.Ordinary
	if closing {
		class = log.Closing
	}
	if err := j.makeRoom(closing); err != nil {
		return e, err
	}
	failpoint.Hit(failpoint.BeforeAppend)
	stored, err := j.log.Append(ctx, e, class)
	failpoint.Hit(failpoint.AfterAppend)
	switch {
	case err == nil:
		j.note(stored)
		j.named(events.Refs(stored.Event.Data)...)
		return stored.Event, nil
	case errors.Is(err, log.ErrConflict), errors.Is(err, log.ErrUnavailable):
		return e, fmt.Errorf("%w: %w", engine.ErrMoved, err)
	case errors.Is(err, log.ErrFull):
		return e, fmt.Errorf("%w: %w", engine.ErrNoRoom, err)
	}
	return e, err
}

// makeRoom refuses ordinary events on a disk that is nearly full, and gives up
// the ballast for the others.
func (j *journal) makeRoom(closing bool) error {
	if j.disk.dir == "" || !j.disk.low() {
		return nil
	}
	if closing {
		return j.disk.release()
	}
	return fmt.Errorf("%w: less than %d MiB are left on the disk of %s", engine.ErrNoRoom, diskFloor>>20, j.disk.dir)
}

// Load implements engine.Journal. An event that is not what was stored breaks the
// log of the run.
func (j *journal) Load(ctx context.Context, id string) (run.State, error) {
	var s run.State
	tail := ""
	for stored, err := range j.log.Read(ctx, events.Run(id), 0) {
		if errors.Is(err, log.ErrDamaged) {
			if s.Log.Broken == 0 {
				s.Log.Broken = s.Log.Seq + 1
			}
			if seq := stored.Event.Seq; seq > 0 { // it takes its place
				s.Log.Seq, tail = seq, stored.Hash
				j.note(stored)
			}
			continue
		}
		if err != nil {
			return s, err
		}
		s, tail = snapshot.Follow(s, stored, tail), stored.Hash
		j.note(stored)
	}
	return s, nil
}

// note remembers a stored event as the last of its aggregate.
func (j *journal) note(s log.Stored) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail[s.Event.Aggregate.ID] = s.Hash
}

// remember takes where an aggregate ends from a snapshot.
func (j *journal) remember(id, hash string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail[id] = hash
}

func (j *journal) hash(id string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tail[id]
}

func newID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}
