package log

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// conn is what the log asks of a server. The tests put one in between that
// loses answers.
type conn interface {
	// publish sends one event, to be stored if its subject still ends at the
	// position expected, and answers the position that it was stored at.
	publish(ctx context.Context, subject string, expected uint64, body []byte) (uint64, error)
	// put sends one event without a condition; its answer comes later.
	put(subject string, body []byte) (jetstream.PubAckFuture, error)
	// next is the first message of a subject at or behind a position, from the
	// leader; errNoMessage without one. An empty subject asks for exactly that
	// position.
	next(ctx context.Context, subject string, position uint64) (message, error)
	// last is the last message of a subject, from the leader.
	last(ctx context.Context, subject string) (message, error)
	state(ctx context.Context) (jetstream.StreamState, error)
	info(ctx context.Context) (*jetstream.StreamInfo, error)
	consume(ctx context.Context, subject string, from start) (jetstream.Consumer, error)
	// message is what a consumer has delivered.
	message(m jetstream.Msg, position uint64) message
	release(c jetstream.Consumer)
	closed() bool
	replicated() bool
}

type message struct {
	subject  string
	position uint64
	body     []byte
	writer   string // host that the server let write it, in a shared log
}

// start is where a consumer begins: at a position, or with the last message of each
// stored subject.
type start struct {
	position uint64
	lasts    bool
}

var errNoMessage = errors.New("no message")

// refusal is an answer of the server that is not an acknowledgement.
type refusal struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (r *refusal) Error() string { return fmt.Sprintf("%s (%d)", r.Description, r.ErrCode) }

// The server's error codes that the log tells apart.
const (
	codeInsufficient   = 10023 // store or account limit
	codeStorage        = 10047
	codeStoreFailed    = 10077 // the stream's own limit, with DiscardNew
	codeWrongLast      = 10071
	codeInProcess      = 10158 // the same in flight, in a cluster
	codeWrongLastConst = 10164
)

// full says whether the server refused for want of space: surely not stored.
func (r *refusal) full() bool {
	switch r.ErrCode {
	case codeInsufficient, codeStorage:
		return true
	case codeStoreFailed:
		return r.Description == "maximum bytes exceeded"
	}
	return false
}

// reason is the error of an append that was refused and is not stored.
func (r *refusal) reason() error {
	if r.full() {
		return fmt.Errorf("%w: %w", ErrFull, r)
	}
	return r
}

// unclear says whether the event may be stored nevertheless: by an earlier
// attempt whose answer was lost, or by the same one still in flight.
func (r *refusal) unclear() bool {
	switch r.ErrCode {
	case codeWrongLast, codeWrongLastConst, codeInProcess:
		return true
	}
	return false
}

type natsConn struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string
	names  names
}

func (c *natsConn) publish(ctx context.Context, subject string, expected uint64, body []byte) (uint64, error) {
	header := nats.Header{conditionHeader: {strconv.FormatUint(expected, 10)}}
	if c.names.shared() { // the condition is on what all hosts have stored
		header[conditionSubjectHeader] = []string{c.names.read(subject)}
	}
	resp, err := c.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: c.names.write(subject), Header: header, Data: body})
	if err != nil {
		return 0, err
	}
	var ack struct {
		Error  *refusal `json:"error"`
		Stream string   `json:"stream"`
		Seq    uint64   `json:"seq"`
	}
	if err := json.Unmarshal(resp.Data, &ack); err != nil {
		return 0, fmt.Errorf("decode acknowledgement: %w", err)
	}
	switch {
	case ack.Error != nil:
		return 0, ack.Error
	case ack.Seq == 0:
		return 0, errors.New("acknowledgement without a sequence")
	}
	return ack.Seq, nil
}

func (c *natsConn) put(subject string, body []byte) (jetstream.PubAckFuture, error) {
	return c.js.PublishAsync(c.names.write(subject), body)
}

func (c *natsConn) next(ctx context.Context, subject string, position uint64) (message, error) {
	var opts []jetstream.GetMsgOpt
	if subject != "" {
		opts = append(opts, jetstream.WithGetMsgSubject(c.names.read(subject)))
	}
	return c.rawMessage(c.stream.GetMsg(ctx, position, opts...))
}

func (c *natsConn) last(ctx context.Context, subject string) (message, error) {
	return c.rawMessage(c.stream.GetLastMsgForSubject(ctx, c.names.read(subject)))
}

func (c *natsConn) rawMessage(m *jetstream.RawStreamMsg, err error) (message, error) {
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return message{}, errNoMessage
	case err != nil:
		return message{}, err
	}
	return c.named(m.Subject, m.Sequence, m.Data), nil
}

func (c *natsConn) named(stored string, position uint64, body []byte) message {
	subject, writer := c.names.parse(stored)
	return message{subject, position, body, writer}
}

func (c *natsConn) message(m jetstream.Msg, position uint64) message {
	return c.named(m.Subject(), position, m.Data())
}

func (c *natsConn) state(ctx context.Context) (jetstream.StreamState, error) {
	info, err := c.info(ctx)
	if err != nil {
		return jetstream.StreamState{}, err
	}
	return info.State, nil
}

func (c *natsConn) info(ctx context.Context) (*jetstream.StreamInfo, error) {
	return c.stream.Info(ctx)
}

func (c *natsConn) consume(ctx context.Context, subject string, from start) (jetstream.Consumer, error) {
	cfg := jetstream.ConsumerConfig{
		FilterSubject:     c.names.read(subject),
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       max(from.position, 1),
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: consumerIdle,
	}
	if from.lasts {
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverLastPerSubjectPolicy, 0
	}
	return c.stream.CreateConsumer(ctx, cfg)
}

// release removes a consumer without waiting: the server forgets it anyway
// after consumerIdle.
func (c *natsConn) release(cons jetstream.Consumer) {
	info := cons.CachedInfo()
	_ = c.nc.Publish(c.prefix+"CONSUMER.DELETE."+info.Stream+"."+info.Name, nil)
}

func (c *natsConn) closed() bool { return c.nc.IsClosed() }

func (c *natsConn) replicated() bool { return c.stream.CachedInfo().Config.Replicas > 1 }
