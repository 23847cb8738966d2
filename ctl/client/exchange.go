package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/oklog/ulid/v2"

	"autopilot/events"
	"autopilot/events/wire"
)

// renew is how many frames are read before credit is given for as many.
const renew = wire.InitialCredit / 2

// exchange is one request and its frames.
type exchange struct {
	c    *Client
	verb wire.Spec
	id   string
	sub  *nats.Subscription
	// msgs has room for all frames that there is credit for, and the last.
	msgs chan *nats.Msg
	n    int  // frames read
	over bool // the last one was read
}

// begin sends the request under its id.
func (c *Client) begin(ctx context.Context, id string, v wire.Spec, req any) (*exchange, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var body []byte
	if req != nil {
		var err error
		if body, err = json.Marshal(req); err != nil && strings.Contains(err.Error(), "invalid UTF-8") {
			return nil, wire.Errorf(wire.Usage, "a text in the request of %s is not valid UTF-8", v.Name).WithHint("write it as UTF-8 text")
		} else if err != nil {
			return nil, wire.Errorf(wire.Usage, "encode the request of %s: %v", v.Name, err)
		}
	}
	if len(body) > wire.MaxBody {
		return nil, wire.Errorf(wire.Usage, "the request of %s has %d bytes; the limit is %d", v.Name, len(body), wire.MaxBody)
	}
	x := &exchange{c: c, verb: v, id: id, msgs: make(chan *nats.Msg, 2*wire.InitialCredit)}
	inbox := wire.Inbox(c.name) + "." + strconv.FormatUint(c.inboxes.Add(1), 36)
	var err error
	if x.sub, err = c.nc.ChanSubscribe(inbox, x.msgs); err != nil {
		return nil, c.lost(v, err)
	}
	err = c.nc.PublishMsg(&nats.Msg{
		Subject: wire.CommandSubject(c.name, v), Reply: inbox, Data: body,
		Header: nats.Header{wire.HeaderRequest: {x.id}, wire.HeaderVersion: {c.version}},
	})
	if err != nil {
		x.over = true
		x.end()
		return nil, c.lost(v, err)
	}
	return x, nil
}

// next reads a frame and renews the credit.
func (x *exchange) next(ctx context.Context) (wire.Frame, error) {
	m, err := x.receive(ctx)
	if err != nil {
		return wire.Frame{}, err
	}
	if m.Header.Get("Status") == "503" { // the server's own: nobody serves the verb
		x.over = true
		return wire.Frame{}, wire.Errorf(wire.Failed, "the daemon does not know %s", x.verb.Name).
			WithHint("it may be older than this program: apctl daemon restart")
	}
	f, err := wire.ParseFrame(m.Header, m.Data)
	if err != nil {
		return wire.Frame{}, wire.Errorf(wire.Failed, "the daemon's answer to %s cannot be read: %s", x.verb.Name, events.JSONMistake(err))
	}
	if f.N == 1 {
		x.c.greeted(m.Header.Get(wire.HeaderVersion))
	}
	if f.N != x.n+1 {
		return wire.Frame{}, &unreachable{wire.Errorf(wire.Unreachable, "frame %d of %s came after frame %d: the connection lost some", f.N, x.verb.Name, x.n), errLost}
	}
	x.n, x.over = f.N, f.Last()
	if !x.over && x.n%renew == 0 {
		if err := x.credit(wire.CreditRequest{Request: x.id, Frames: renew}); err != nil {
			return wire.Frame{}, err
		}
	}
	return f, nil
}

var errLost = errors.New("connection lost")

func (x *exchange) receive(ctx context.Context) (*nats.Msg, error) {
	select {
	case m := <-x.msgs:
		return m, nil
	default:
	}
	select {
	case m := <-x.msgs:
		return m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-x.c.closed:
	}
	// What came before the end counts.
	select {
	case m := <-x.msgs:
		return m, nil
	default:
		return nil, x.c.lost(x.verb, errLost)
	}
}

func (x *exchange) credit(q wire.CreditRequest) error {
	b, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode credit: %w", err)
	}
	if err := x.c.nc.Publish(wire.CommandSubject(x.c.name, wire.Credit), b); err != nil {
		return x.c.lost(x.verb, err)
	}
	return nil
}

// end forgets the exchange; the daemon is told if it would go on sending.
func (x *exchange) end() {
	if !x.over {
		_ = x.credit(wire.CreditRequest{Request: x.id, End: true}) // on a lost connection it knows
	}
	_ = x.sub.Unsubscribe() // as above
}

func (c *Client) lost(v wire.Spec, err error) error {
	e := wire.Errorf(wire.Unreachable, "the connection to the daemon was lost during %s", v.Name)
	return &unreachable{e.WithHint("apctl daemon status"), err}
}

// Frames sends req and gives every frame of the answer until the daemon ends
// it, ctx ends or the caller stops ranging. An error is the last thing that it
// gives. The bytes belong to the caller. Stream is its typed form.
func (c *Client) Frames(ctx context.Context, v wire.Spec, req any) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		x, err := c.begin(ctx, ulid.Make().String(), v, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer x.end()
		for {
			f, err := x.next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(f.Payload) > 0 && !yield(f.Payload, nil) {
				return
			}
			if !f.Last() {
				continue
			}
			if err := f.Err(); err != nil {
				yield(nil, err)
			}
			return
		}
	}
}
