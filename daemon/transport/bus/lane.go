package bus

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// stubborn is how long a handler gets to end after it was told to.
const stubborn = 2 * time.Second

// lane is a bounded set of running handlers that are ended together.
type lane struct {
	most   int
	ctx    context.Context // ends them
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{} // closed when closed and n is 0
}

func newLane(most int) *lane {
	l := &lane{most: most, empty: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// enter takes a place, which leave gives back.
func (l *lane) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errStopping
	}
	if l.n >= l.most {
		return errBusy
	}
	l.n++
	return nil
}

func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	if l.closed && l.n == 0 {
		close(l.empty)
	}
}

// close lets nobody in any more and waits for those who are there. When ctx
// ends they are told to end; one that does not is left behind with an error.
func (l *lane) close(ctx context.Context) error {
	defer l.cancel(ErrClosing)
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		if l.n == 0 {
			close(l.empty)
		}
	}
	l.mu.Unlock()
	select {
	case <-l.empty:
		return nil
	case <-ctx.Done():
		l.cancel(ErrClosing)
	}
	select {
	case <-l.empty:
		return nil
	case <-time.After(stubborn):
		l.mu.Lock()
		defer l.mu.Unlock()
		return fmt.Errorf("close bus: %d handlers did not end", l.n)
	}
}
