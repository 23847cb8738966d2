package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
	"autopilot/projections/regex"
)

// Handler answers one request. With nil the answer is complete; a *wire.Error
// gives its code, any other error wire.Failed. The context ends when the
// client is gone, wants no more, or the bus closes. The body has at most wire.MaxBody
// bytes.
type Handler func(ctx context.Context, q auth.Request, body []byte, r *Reply) error

// Bounds of what runs at once. Streams have their own, as they stay.
const (
	maxOneShot = 256
	maxStreams = 256
)

// Causes for which a request is not begun.
var (
	errBusy     = wire.Errorf(wire.Failed, "the daemon is busy: too many requests are being answered").WithHint("try again in a moment")
	errRepeated = wire.Errorf(wire.Conflict, "this request is being answered already")
	errStopping = wire.Errorf(wire.Unreachable, "the daemon is stopping")
)

// service runs the handlers.
type service struct {
	clients  *registry
	handlers map[string]Handler
	answer   *nats.Conn // may publish into inboxes, and nothing else
	micro    micro.Service
	version  string
	timeout  time.Duration // for credit
	log      *slog.Logger

	oneShots, streams *lane // of this host
	afar, afarStreams *lane // over the network, so that they take no place of the others
	refused           *refusals
}

func (s *service) lanes() []*lane { return []*lane{s.oneShots, s.afar, s.streams, s.afarStreams} }

// lane is where the requests of a client run.
func (s *service) lane(id auth.Identity, v wire.Spec) *lane {
	switch {
	case id.Kind == auth.KindKey && v.Stream:
		return s.afarStreams
	case id.Kind == auth.KindKey:
		return s.afar
	case v.Stream:
		return s.streams
	}
	return s.oneShots
}

// Serve answers the verbs with the handlers, by verb name, and opens the
// socket. It may be called once.
func (b *Bus) Serve(handlers map[string]Handler) error {
	b.mu.Lock()
	again := b.service != nil
	b.mu.Unlock()
	if again {
		return errors.New("serve: already serving")
	}
	listen, err := b.connect("verbs", only([]string{"_INBOX.>"}, []string{"ap.cmd.>", "$SRV.>"}))
	if err != nil {
		return err
	}
	answer, err := b.connect("answers", only([]string{"_INBOX.>"}, nil))
	if err != nil {
		return err
	}
	s := &service{
		clients: b.bridge.clients, handlers: handlers, answer: answer,
		version: b.cfg.Version, timeout: b.cfg.CreditTimeout, log: b.cfg.Log, refused: &b.refused,
	}
	if s.timeout <= 0 {
		s.timeout = wire.CreditTimeout
	}
	s.oneShots, s.streams = newLane(maxOneShot), newLane(maxStreams)
	s.afar, s.afarStreams = newLane(maxRemoteWork), newLane(maxRemoteWork)
	if err := s.listen(listen); err != nil {
		return err
	}
	b.mu.Lock()
	b.service = s
	b.mu.Unlock()
	if _, err := b.bridge.listen(b.cfg.Places.Socket, ""); err != nil {
		return err
	}
	close(b.bridge.ready)
	b.openRemote()
	return nil
}

func (s *service) listen(nc *nats.Conn) error {
	m, err := micro.AddService(nc, micro.Config{
		Name: "autopilot", Version: "1.0.0", Description: "commands of the autopilot daemon", QueueGroupDisabled: true,
		Metadata: map[string]string{"version": s.version},
	})
	if err != nil {
		return fmt.Errorf("add service: %w", err)
	}
	for _, v := range wire.Verbs() {
		h := micro.HandlerFunc(func(m micro.Request) { s.dispatch(v, m) })
		name := strings.ReplaceAll(v.Name, ".", "-")
		if err := m.AddEndpoint(name, h, micro.WithEndpointSubject(wire.CommandSubject("*", v))); err != nil {
			return fmt.Errorf("add endpoint %s: %w", v.Name, errors.Join(err, m.Stop()))
		}
	}
	if err := nc.Flush(); err != nil {
		return fmt.Errorf("add endpoints: %w", err)
	}
	s.micro = m
	return nil
}

// dispatch runs on the goroutine of an endpoint, so it only decides and
// enqueues.
func (s *service) dispatch(v wire.Spec, m micro.Request) {
	name, _ := wire.CommandClient(m.Subject())
	c := s.clients.get(name)
	if c == nil {
		return // gone meanwhile
	}
	if v == wire.Credit {
		c.credited(m.Data())
		return
	}
	if !wire.OwnReply(c.inbox(), m.Reply()) {
		if c.Kind == auth.KindKey && m.Reply() == "" {
			return // nobody would hear the answer, and the log is not the client's to fill
		}
		s.log.Warn("request dropped: its reply is not for its client", "verb", v.Name, "actor", c.Actor, "reply", fmt.Sprintf("%.80q", m.Reply()))
		return
	}
	q := auth.Request{
		Identity: c.Identity, ID: m.Headers().Get(wire.HeaderRequest),
		ClientVersion: m.Headers().Get(wire.HeaderVersion),
	}
	if q.ID == "" && c.Kind == auth.KindKey && v.Class == wire.Read {
		q.ID = rand.Text() // it is nobody's cause, and needs no name
	}
	r := &Reply{
		request: q.ID, subject: m.Reply(), stream: v.Stream, version: s.version,
		publish: s.answer.PublishMsg, timeout: s.timeout,
		credit: wire.InitialCredit, more: make(chan struct{}, 1),
	}
	if err := s.start(v, c, q, m.Data(), r); err != nil {
		s.finish(r, err)
	}
}

var requestID = regex.New(`^[0-9A-Za-z_-]{1,64}$`)

// start begins the handler, or says why not.
func (s *service) start(v wire.Spec, c *conn, q auth.Request, body []byte, r *Reply) error {
	h := s.handlers[v.Name]
	switch {
	case !auth.May(c.Identity, v):
		s.refused.add(c.Effect)
		return auth.Refuse(c.Identity, v)
	case h == nil:
		return wire.Errorf(wire.Failed, "this daemon (%s) does not know %s", s.version, v.Name)
	case !requestID.MatchString(q.ID):
		return wire.Errorf(wire.Usage, "%s: the request has no id", v.Name).WithHint("each request has its own, in the header %s", wire.HeaderRequest)
	case len(body) > wire.MaxBody:
		return wire.Errorf(wire.Usage, "%s: the request has %d bytes; the limit is %d", v.Name, len(body), wire.MaxBody)
	}
	if err := auth.Permit(c.Identity, v, body); err != nil {
		return err
	}
	l := s.lane(c.Identity, v)
	if err := l.enter(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	r.cancel = cancel
	if err := c.add(r); err != nil {
		cancel(nil)
		l.leave()
		return err
	}
	go func() {
		defer l.leave()
		defer func() {
			c.remove(r)
			cancel(nil)
		}()
		defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })()
		err := s.run(ctx, h, v, q, body, r)
		if errors.Is(context.Cause(ctx), ErrClientGone) || errors.Is(context.Cause(ctx), errClientEnded) {
			return // nobody reads it
		}
		s.finish(r, err)
	}()
	return nil
}

// run calls the handler. Its panic fails the request, not the live runs of the
// daemon.
func (s *service) run(ctx context.Context, h Handler, v wire.Spec, q auth.Request, body []byte, r *Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("handler panicked", "verb", v.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = wire.Errorf(wire.Failed, "%s broke inside the daemon", v.Name).WithHint("the daemon's log has the details")
		}
	}()
	err = h(ctx, q, body, r)
	if err != nil && errors.Is(context.Cause(ctx), ErrClosing) {
		return errStopping
	}
	return err
}

func (s *service) finish(r *Reply, err error) {
	if err := r.finish(err); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		s.log.Error("answer request", "request", r.request, "error", err)
	}
}

// credited is the verb credit: it has no answer, so what is wrong is ignored.
func (c *conn) credited(body []byte) {
	var q wire.CreditRequest
	if len(body) > 1<<10 || json.Unmarshal(body, &q) != nil {
		return
	}
	r := c.reply(q.Request)
	if r == nil {
		return // ended meanwhile
	}
	if q.End {
		r.cancel(errClientEnded)
		return
	}
	r.grant(q.Frames)
}

// close stops taking requests, ends streams, waits for the other handlers
// until ctx ends, and sends off what they answered.
func (s *service) close(ctx context.Context) error {
	err := s.micro.Stop()
	s.streams.cancel(ErrClosing)
	s.afarStreams.cancel(ErrClosing)
	errs := []error{err}
	for _, l := range s.lanes() {
		errs = append(errs, l.close(ctx))
	}
	// ctx may be over by now: what was answered still gets a moment to leave.
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(append(errs, s.answer.FlushWithContext(flush))...)
}
