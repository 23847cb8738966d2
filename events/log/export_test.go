package log

import (
	"context"
	"errors"
	"sync"

	"autopilot/events"
)

// Fail puts faults between the log and its server.
func (s *Stream) Fail(f Faults) {
	s.conn = &faulty{conn: s.conn, faults: f, attempts: map[string]int{}, cut: map[string]bool{}, taken: map[string]bool{}}
}

// faulty loses requests and answers.
type faulty struct {
	conn
	faults Faults

	mu       sync.Mutex
	attempts map[string]int
	cut      map[string]bool // subjects that cannot be asked for now
	taken    map[string]bool // subjects that seem to have moved on, once
}

var errLost = errors.New("no answer")

func (f *faulty) publish(ctx context.Context, subject string, expected uint64, body []byte) (uint64, error) {
	e, err := events.Decode(body)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	f.attempts[e.ID]++
	attempt := f.attempts[e.ID]
	f.mu.Unlock()

	fault := f.faults(e, attempt)
	f.mu.Lock()
	f.cut[subject] = fault == FaultUnavailable || fault == FaultUnavailableStored
	f.taken[subject] = fault == FaultConflict
	f.mu.Unlock()
	switch fault {
	case FaultNone:
		return f.conn.publish(ctx, subject, expected, body)
	case FaultLoseReply, FaultUnavailableStored:
		if _, err := f.conn.publish(ctx, subject, expected, body); err != nil {
			return 0, err
		}
	case FaultLoseRequest, FaultUnavailable, FaultConflict:
	}
	return 0, errLost
}

func (f *faulty) next(ctx context.Context, subject string, position uint64) (message, error) {
	f.mu.Lock()
	cut, taken := f.cut[subject], f.taken[subject]
	f.mu.Unlock()
	switch {
	case cut:
		return message{}, errLost
	case taken:
		return message{subject: subject, position: position, body: []byte("another event")}, nil
	}
	return f.conn.next(ctx, subject, position)
}

// Counted is how many bytes the log believes to be stored.
func (s *Stream) Counted() int64 {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return s.room.bytes
}

// ReadAsInACluster makes reads end where the leader says, as they have to
// where a consumer may live on a server that is behind.
func (s *Stream) ReadAsInACluster() { s.conn = clustered{s.conn} }

type clustered struct{ conn }

func (clustered) replicated() bool { return true }
