package client

import (
	"context"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"

	"autopilot/events"
	"autopilot/events/wire"
)

// Caller carries requests to a daemon: a Client, or what stands in for one in tests.
type Caller interface {
	// Exchange sends req under an id and decodes the answer into reply; reply may be nil.
	Exchange(ctx context.Context, id string, v wire.Spec, req, reply any) error
	// Frames sends req and gives every frame of the answer.
	Frames(ctx context.Context, v wire.Spec, req any) iter.Seq2[[]byte, error]
}

// Call sends a request and decodes the answer into reply, which may be nil. What the
// daemon refuses is a *wire.Error.
func Call[Q, A any](ctx context.Context, c Caller, v wire.Verb[Q, A], req Q, reply *A) error {
	return CallAs(ctx, c, ulid.Make().String(), v, req, reply)
}

// CallAs is Call under a request id of the caller's, a ULID. A command that is
// repeated under its id, on whatever connection, gets the first answer: it is
// not carried out twice.
func CallAs[Q, A any](ctx context.Context, c Caller, id string, v wire.Verb[Q, A], req Q, reply *A) error {
	if reply == nil {
		return c.Exchange(ctx, id, v.Spec, req, nil)
	}
	return c.Exchange(ctx, id, v.Spec, req, reply)
}

// Stream sends a request and gives every frame of the answer until the daemon ends
// it, ctx ends or the caller stops ranging. An error is the last thing that it
// gives.
func Stream[Q, F any](ctx context.Context, c Caller, v wire.Stream[Q, F], req Q) iter.Seq2[F, error] {
	return func(yield func(F, error) bool) {
		for b, err := range c.Frames(ctx, v.Spec, req) {
			var f F
			if err == nil {
				err = decodeFrame(v.Spec, b, &f)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// decodeFrame reads a frame. The bytes of a Raw one are the caller's.
func decodeFrame(v wire.Spec, b []byte, f any) error {
	if raw, ok := f.(*wire.Raw); ok {
		*raw = b
		return nil
	}
	return decode(v, b, f)
}

func decode(v wire.Spec, b []byte, into any) error {
	if err := json.Unmarshal(b, into); err != nil {
		return wire.Errorf(wire.Failed, "the daemon's answer to %s cannot be read: %s", v.Name, events.JSONMistake(err))
	}
	return nil
}
