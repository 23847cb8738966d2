package log

import (
	"context"
	"errors"
	"sync"

	"autopilot/events"
)

// Fail puts faults between the log and its server.
func (s *Stream) Fail(f Faults) {
	s.conn = &faulty{conn: s.conn, faults: f, attempts: map[string]int{}, cut: map[string]bool{}}
}

// faulty loses requests and answers.
type faulty struct {
	conn
	faults Faults

	mu       sync.Mutex
	attempts map[string]int
	cut      map[string]bool // subjects that cannot be asked for now
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
	if fault == FaultUnavailable || fault == FaultUnavailableStored {
		f.mu.Lock()
		f.cut[subject] = true
		f.mu.Unlock()
	}
	switch fault {
	case FaultNone:
		return f.conn.publish(ctx, subject, expected, body)
	case FaultLoseReply, FaultUnavailableStored:
		if _, err := f.conn.publish(ctx, subject, expected, body); err != nil {
			return 0, err
		}
	case FaultLoseRequest, FaultUnavailable:
	}
	return 0, errLost
}

func (f *faulty) next(ctx context.Context, subject string, position uint64) (message, error) {
	f.mu.Lock()
	cut := f.cut[subject]
	f.mu.Unlock()
	if cut {
		return message{}, errLost
	}
	return f.conn.next(ctx, subject, position)
}
