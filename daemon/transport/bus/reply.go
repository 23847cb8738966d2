package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"autopilot/events/wire"
)

// ErrFrameTooLarge is returned for a stream's object that does not fit in one
// frame.
var ErrFrameTooLarge = errors.New("object is larger than a frame")

var errClientEnded = errors.New("the client wants no more")

// Reply is where a handler sends its answer. It belongs to the handler's
// goroutine, and to no other.
//
// The answer of a one-shot verb is all that was sent, joined; it may be of any
// length and is cut into frames here. Each Send of a stream is one JSON object
// in one frame. Both wait for the client's credit.
type Reply struct {
	request string // its id
	subject string
	stream  bool
	version string
	publish func(*nats.Msg) error
	timeout time.Duration
	cancel  context.CancelCauseFunc // of the handler's context

	n    int    // frames sent
	rest []byte // of a one-shot answer, not sent yet

	mu     sync.Mutex
	credit int
	more   chan struct{} // has room for one: credit came
}

// Send sends payload, or a piece of it. The bytes are the caller's again when
// it returns. An error means that the reply is over: return it.
func (r *Reply) Send(ctx context.Context, payload []byte) error {
	if r.stream {
		if len(payload) > wire.MaxFrame {
			return fmt.Errorf("%w: %d bytes", ErrFrameTooLarge, len(payload))
		}
		return r.frame(ctx, payload)
	}
	for len(r.rest)+len(payload) > wire.MaxFrame {
		k := wire.MaxFrame - len(r.rest)
		r.rest = append(r.rest, payload[:k]...)
		payload = payload[k:]
		if err := r.frame(ctx, r.rest); err != nil {
			return err
		}
		r.rest = r.rest[:0]
	}
	r.rest = append(r.rest, payload...)
	return nil
}

// JSON sends v, encoded.
func (r *Reply) JSON(ctx context.Context, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode reply: %w", err)
	}
	return r.Send(ctx, b)
}

// frame sends one frame that is not the last.
func (r *Reply) frame(ctx context.Context, payload []byte) error {
	if err := r.take(ctx); err != nil {
		return err
	}
	return r.send(wire.Frame{N: r.n + 1, Payload: payload})
}

// finish sends the last frame, which needs no credit.
func (r *Reply) finish(err error) error {
	f := wire.Final(r.n+1, err)
	if err == nil {
		f.Payload = r.rest
	}
	return r.send(f)
}

func (r *Reply) send(f wire.Frame) error {
	h := nats.Header(f.Header())
	if f.N == 1 {
		h[wire.HeaderVersion] = []string{r.version}
	}
	r.n = f.N
	if err := r.publish(&nats.Msg{Subject: r.subject, Header: h, Data: f.Payload}); err != nil {
		return fmt.Errorf("send frame: %w", err)
	}
	return nil
}

// take waits until the client has room for one more frame.
func (r *Reply) take(ctx context.Context) error {
	var late <-chan time.Time
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if r.spend() {
			return nil
		}
		if late == nil {
			t := time.NewTimer(r.timeout)
			defer t.Stop()
			late = t.C
		}
		select {
		case <-r.more:
		case <-ctx.Done():
		case <-late:
			return wire.Errorf(wire.TimedOut, "the reader took nothing for %v, so the daemon stopped sending", r.timeout).
				WithHint("go on from the last position that was shown")
		}
	}
}

func (r *Reply) spend() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.credit == 0 {
		return false
	}
	r.credit--
	return true
}

// grant adds credit. A client cannot make the daemon hold more than the first
// credit for it.
func (r *Reply) grant(frames int) {
	if frames <= 0 {
		return
	}
	r.mu.Lock()
	r.credit = min(r.credit+min(frames, wire.InitialCredit), wire.InitialCredit)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}
