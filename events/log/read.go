package log

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
)

const (
	consumerIdle = 30 * time.Second
	// A consumer that is silent for two heartbeats is made anew. In a cluster that
	// happens: a request can be quicker than the word that there is a consumer.
	heartbeat        = 5 * time.Second
	clusterHeartbeat = time.Second
	readAhead        = 512 // messages asked for at a time
)

// Read yields one aggregate's events. See Log.
//
// It reads through a consumer even where few events are expected: a look-up
// per event is quicker only up to about three of them. In a cluster it is the
// other way round: there a consumer is an agreement of all servers, and it may
// live on one that is behind, while a look-up is answered by the leader.
func (s *Stream) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		from := uint64(1)
		if t, ok := s.tails.get(agg); ok && t.seq <= after {
			from = t.position + 1
		}
		if s.shared() {
			s.readKept(ctx, agg, after, from, yield)
			return
		}
		each := s.consume
		if s.conn.replicated() {
			each = s.lookUp
		}
		each(ctx, agg.Subject(), from, func(st Stored, position uint64, err error) bool {
			if err != nil {
				return yield(st, fmt.Errorf("read %s: %w", agg, err))
			}
			s.tails.put(agg, tail{position, st.Event.Seq, st.Hash})
			return st.Event.Seq <= after || yield(st, nil)
		})
	}
}

// ReadKind yields the events of a kind of aggregate. See Log.
//
// In a cluster the leader says where it ends, as the consumer may live on a
// server that is behind.
func (s *Stream) ReadKind(ctx context.Context, k events.Kind) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		r := reader{s: s, subject: events.SubjectPrefix + string(k) + ".>", next: 1}
		if s.conn.replicated() {
			last, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.last(ctx, r.subject) })
			if errors.Is(err, errNoMessage) {
				return
			}
			if err != nil {
				yield(Stored{}, fmt.Errorf("read events of %ss: %w: %w", k, ErrUnavailable, err))
				return
			}
			r.end = last.position
		}
		r.each(ctx, func(st Stored, position uint64, err error) bool {
			if err != nil {
				return yield(st, fmt.Errorf("read events of %ss: %w", k, err))
			}
			s.tails.put(st.Event.Aggregate, tail{position, st.Event.Seq, st.Hash})
			return yield(st, nil)
		})
	}
}

// consume yields what a subject has from a position on, up to the present end.
func (s *Stream) consume(ctx context.Context, subject string, from uint64, yield func(Stored, uint64, error) bool) {
	r := reader{s: s, subject: subject, next: from}
	r.each(ctx, yield)
}

// lookUp does as consume does, with a request for each event.
func (s *Stream) lookUp(ctx context.Context, subject string, from uint64, yield func(Stored, uint64, error) bool) {
	last, err := s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.last(ctx, subject) })
	for err == nil && from <= last.position {
		var m message
		m, err = s.ask(ctx, func(ctx context.Context) (message, error) { return s.conn.next(ctx, subject, from) })
		if err != nil {
			break
		}
		st, damage := s.stored(m)
		if !yield(st, m.position, damage) {
			return
		}
		from = m.position + 1
	}
	if err != nil && !errors.Is(err, errNoMessage) {
		yield(Stored{}, 0, fmt.Errorf("%w: %w", ErrUnavailable, err))
	}
}

// ask repeats a question while nobody answers, as when the leader moves.
func (s *Stream) ask(ctx context.Context, question func(context.Context) (message, error)) (message, error) {
	var cause error
	for attempt := range maxAttempts {
		if attempt > 0 && !wait(ctx, pause<<(attempt-1)) {
			break
		}
		once, cancel := context.WithTimeout(ctx, s.cfg.AckTimeout)
		m, err := question(once)
		cancel()
		if err == nil || errors.Is(err, errNoMessage) {
			return m, err
		}
		if cause = err; s.conn.closed() {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		cause = err
	}
	return message{}, cause
}

// ReadAll yields every aggregate's events. See Log.
func (s *Stream) ReadAll(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return s.readFrom(ctx, from, false)
}

// Follow yields every aggregate's events as they are stored. See Log.
func (s *Stream) Follow(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return s.readFrom(ctx, from, true)
}

func (s *Stream) readFrom(ctx context.Context, from Cursor, follow bool) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		position, err := s.resolve(ctx, from)
		r := reader{s: s, subject: subjects, next: position + 1, follow: follow}
		if err == nil && !follow {
			var state jetstream.StreamState
			if state, err = s.conn.state(ctx); err == nil && state.LastSeq < r.next {
				return
			}
			r.end = state.LastSeq
		}
		if err != nil {
			if !follow || ctx.Err() == nil {
				yield(Stored{}, fmt.Errorf("read events: %w", err))
			}
			return
		}
		r.all(ctx, yield)
	}
}

// all yields what it reads of all subjects.
func (r *reader) all(ctx context.Context, yield func(Stored, error) bool) {
	r.each(ctx, func(st Stored, _ uint64, err error) bool {
		if err != nil {
			return yield(st, fmt.Errorf("read events: %w", err))
		}
		return yield(st, nil)
	})
}

func (s *Stream) resolve(ctx context.Context, c Cursor) (uint64, error) {
	return resolve(c, s.generation, func(position uint64) (string, bool, error) {
		m, err := s.conn.next(ctx, "", position)
		switch {
		case errors.Is(err, errNoMessage):
			return "", false, nil
		case err != nil:
			return "", false, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return events.Hash(m.body), true, nil
	})
}

// stored decodes a message and asks the witness; with an error the result still
// has its bytes, and of a foreign event its place in the aggregate.
func (s *Stream) stored(m message) (Stored, error) {
	st, err := s.decoded(m)
	if err != nil {
		return st, err
	}
	if err := s.told.prove(st); err != nil {
		st.Event = placeOf(st.Event)
		return st, err
	}
	return st, nil
}

// placeOf is what counts of an event that is not what was stored: it takes its
// place nevertheless.
func placeOf(e events.Event) events.Event { return events.Event{Aggregate: e.Aggregate, Seq: e.Seq} }

// decoded decodes a message, whoever has stored it.
func (s *Stream) decoded(m message) (Stored, error) {
	st := Stored{Subject: m.subject, Bytes: m.body, Hash: events.Hash(m.body), Position: m.position}
	st.Cursor = place{s.generation, m.position, st.Hash}.cursor()
	e, err := events.Decode(m.body)
	switch {
	case err != nil:
		return st, fmt.Errorf("position %d: %w: %w", m.position, ErrDamaged, err)
	case e.Aggregate.Subject() != m.subject:
		return st, fmt.Errorf("position %d: %w: an event of %s is stored under %s", m.position, ErrDamaged, e.Aggregate, m.subject)
	case m.writer != "" && e.Source != events.SourceOf(m.writer):
		return st, fmt.Errorf("position %d: %w: an event of %s was written with the credentials of host %s", m.position, ErrDamaged, e.Source, m.writer)
	}
	st.Event = e
	return st, nil
}

// Placed says where the event of a cursor is: the name of its stream and its
// position in there. ok is false of no event of this log.
func Placed(c Cursor) (stream string, position uint64, ok bool) {
	p, err := parseCursor(c)
	return streamPrefix + strconv.FormatUint(p.generation, 10), p.position, err == nil && p.position > 0
}

// StoredAt is what a stream holds at a position, read from its files without a
// server, as a reader of the log would get it: with ErrDamaged if it is no event
// of its subject.
func StoredAt(stream string, position uint64, subject string, body []byte) (Stored, error) {
	generation, ok := Generation(stream)
	if !ok {
		return Stored{Subject: subject, Bytes: body}, fmt.Errorf("%w: %s is not an event stream", ErrDamaged, stream)
	}
	return (&Stream{generation: generation}).stored(message{subject: subject, position: position, body: body})
}

// reader reads one subject, or all, from a position on. A consumer that is
// lost is made anew behind the last message that was read.
type reader struct {
	s       *Stream
	subject string
	next    uint64 // position
	end     uint64 // last position to read; 0 is what the consumer finds
	follow  bool
	lasts   bool // begin with the last event of each stored subject

	cons jetstream.Consumer
	it   jetstream.MessagesContext
	left uint64 // messages to the end that the consumer found
	sent uint64 // messages taken from the consumer
}

func (r *reader) each(ctx context.Context, yield func(Stored, uint64, error) bool) {
	defer r.close()
	due := r.next
	for {
		m, err := r.message(ctx)
		switch {
		case errors.Is(err, errNoMessage):
			return
		case err != nil && ctx.Err() != nil:
			if !r.follow {
				yield(Stored{}, 0, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err()))
			}
			return
		case err != nil:
			yield(Stored{}, 0, fmt.Errorf("%w: %w", ErrUnavailable, err))
			return
		}
		if r.subject == subjects && m.position > due && !r.s.shared() {
			// Nothing is ever deleted from a stream: what is not there was lost.
			lost := fmt.Errorf("%w: positions %d to %d are missing", ErrDamaged, due, m.position-1)
			if !yield(Stored{}, m.position-1, lost) {
				return
			}
		}
		due = m.position + 1
		st, err := r.s.stored(m)
		if !yield(st, m.position, err) {
			return
		}
	}
}

// message is the next message, or errNoMessage at the end.
func (r *reader) message(ctx context.Context) (message, error) {
	var cause error
	for attempt := range maxAttempts {
		if attempt > 0 && !wait(ctx, pause<<(attempt-1)) {
			return message{}, ctx.Err()
		}
		if r.it == nil {
			if cause = r.open(ctx); cause != nil {
				if r.s.conn.closed() {
					break
				}
				continue
			}
		}
		if r.done() {
			return message{}, errNoMessage
		}
		var m message
		if m, cause = r.take(ctx); cause == nil {
			return m, nil
		}
		if ctx.Err() != nil {
			return message{}, ctx.Err()
		}
		r.close()
		if errors.Is(cause, errStalled) && !r.s.conn.replicated() { // in a cluster the next consumer may live on another server
			return r.askNext(ctx)
		}
	}
	return message{}, cause
}

func (r *reader) done() bool {
	switch {
	case r.follow:
		return false
	case r.end > 0:
		return r.next > r.end
	}
	return r.left == 0
}

func (r *reader) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.s.cfg.AckTimeout)
	defer cancel()
	cons, err := r.s.conn.consume(ctx, r.subject, start{r.next, r.lasts && r.next == 0})
	if err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	r.cons, r.sent = cons, 0
	r.left = cons.CachedInfo().NumPending
	ahead := readAhead
	if !r.follow && r.end == 0 {
		ahead = int(min(max(r.left, 1), readAhead))
	}
	beat := heartbeat
	if r.s.conn.replicated() {
		beat = clusterHeartbeat
	}
	r.it, err = cons.Messages(
		jetstream.PullMaxMessages(ahead),
		jetstream.PullHeartbeat(beat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true),
	)
	if err != nil {
		r.close()
		return fmt.Errorf("pull: %w", err)
	}
	return nil
}

// askNext asks for the next message by itself, when a consumer that has more is silent: a
// host may be busy, or the store damaged where the consumer stands.
func (r *reader) askNext(ctx context.Context) (message, error) {
	m, err := r.s.ask(ctx, func(ctx context.Context) (message, error) { return r.s.conn.next(ctx, r.subject, r.next) })
	switch {
	case errors.Is(err, errNoMessage):
		return message{}, fmt.Errorf("nothing can be read behind position %d, so the store is damaged there", r.next-1)
	case err != nil:
		return message{}, fmt.Errorf("%w: %w", errStalled, err)
	}
	r.next = m.position + 1
	return m, nil
}

// errGap says that the consumer skipped a message that was sent but not
// received.
var errGap = errors.New("message lost on the way")

// stall is how long a message that is known to be there may take before it is asked for.
// The server goes silent at a block that it cannot read.
const stall = 5 * time.Second

var errStalled = errors.New("the store stopped answering")

func (r *reader) take(ctx context.Context) (message, error) {
	if !r.follow {
		bounded, cancel := context.WithTimeout(ctx, stall)
		defer cancel()
		ctx = bounded
	}
	m, err := r.it.Next(jetstream.NextContext(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		return message{}, errStalled
	}
	if err != nil {
		return message{}, err
	}
	meta, err := m.Metadata()
	if err != nil {
		return message{}, err
	}
	if meta.Sequence.Consumer != r.sent+1 {
		return message{}, errGap
	}
	r.sent++
	r.next = meta.Sequence.Stream + 1
	r.left--
	return r.s.conn.message(m, meta.Sequence.Stream), nil
}

func (r *reader) close() {
	if r.it != nil {
		r.it.Stop()
		r.it = nil
	}
	if r.cons != nil {
		r.s.conn.release(r.cons)
		r.cons = nil
	}
}
