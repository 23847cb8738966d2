package log

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNotNew says that a generation holds events already, so that nothing can be
// carried into it.
var ErrNotNew = errors.New("the generation is not new")

// carryAhead is how many events are on their way to the store at once.
const carryAhead = 512

// Carry stores the events of an earlier generation in this one, which has none:
// the same bytes under the same subjects, in their order, from position 1. It
// asks for no condition, as nobody else writes, and does not tell Acknowledged.
// After an error the generation is to be thrown away.
func (s *Stream) Carry(ctx context.Context, from iter.Seq2[Stored, error]) error {
	state, err := s.conn.state(ctx)
	if err != nil {
		return fmt.Errorf("carry events: %w: %w", ErrUnavailable, err)
	}
	if state.LastSeq > 0 {
		return fmt.Errorf("carry events: %w", ErrNotNew)
	}
	c := carrier{conn: s.conn}
	for st, err := range from {
		if err == nil {
			err = c.send(ctx, st)
		}
		if err != nil {
			return fmt.Errorf("carry events: %w", err)
		}
	}
	if err := c.await(ctx, 0); err != nil {
		return fmt.Errorf("carry events: %w", err)
	}
	return nil
}

// carrier has events on their way.
type carrier struct {
	conn    conn
	waiting []jetstream.PubAckFuture
	stored  uint64 // position of the last that was acknowledged
}

func (c *carrier) send(ctx context.Context, st Stored) error {
	if err := c.await(ctx, carryAhead-1); err != nil {
		return err
	}
	f, err := c.conn.put(st.Subject, st.Bytes)
	if err != nil {
		return err
	}
	c.waiting = append(c.waiting, f)
	return nil
}

// await takes answers until only so many are missing.
func (c *carrier) await(ctx context.Context, left int) error {
	for len(c.waiting) > left {
		select {
		case ack := <-c.waiting[0].Ok():
			if c.stored++; ack.Sequence != c.stored {
				return fmt.Errorf("event %d is stored at position %d", c.stored, ack.Sequence)
			}
		case err := <-c.waiting[0].Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		c.waiting = c.waiting[1:]
	}
	return nil
}
