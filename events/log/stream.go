package log

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
)

// What Open can answer beside ErrUnavailable.
var (
	// ErrNewer says that the log was written by a newer version.
	ErrNewer = errors.New("written by a newer autopilot")
	// ErrOlder says that the log was written by an older version, whose stored values
	// this one does not read.
	ErrOlder = errors.New("written by an older autopilot")
	// ErrAltered says that the stream was set up in a way that loses events.
	ErrAltered = errors.New("stream settings were changed")
)

const (
	streamPrefix = "AP_EVENTS_"
	subjects     = events.SubjectPrefix + ">"

	// formatKey is the stream's metadata that names the format of what it
	// holds, and format the only one that this version reads.
	formatKey = "autopilot.format"
	format    = 2 // since stored.Spec

	// headerBytes is allowed beside the event itself in a stored message.
	headerBytes = 1 << 10
)

// Config says how a log is kept.
type Config struct {
	Quota    int64 // bytes, of all events together
	Reserve  int64 // bytes of the quota that only Closing events may use
	Replicas int   // of a stream that is created; 0 is 1
	Domain   string
	// Generation is that of a stream that is created; 0 is 1.
	Generation uint64
	// AckTimeout is how long one attempt waits for its answer before the log
	// is asked what became of it; 0 is 5 s.
	AckTimeout time.Duration
	// Acknowledged, if there is one, is told the stream and position of each
	// event that was stored, and of the last one at the opening. It may be called
	// from several goroutines at once.
	Acknowledged func(stream string, position uint64)
	// Witness, if there is one, is told what becomes of each event.
	Witness Witness
	// Shared, if there is one, makes it a log of several hosts.
	Shared *Sharing
}

// Stream is the log on JetStream. It has nothing to close: the connection is
// the caller's.
type Stream struct {
	conn       conn
	name       string
	generation uint64
	cfg        Config
	room       *room
	tails      *tails
	told       *witnessed
}

// Open opens the newest generation of the event stream, and creates the one that
// cfg says where there is none. A quota over the stream's raises the stream's; a
// smaller one holds for this process only, as a server that is told a smaller
// size drops the oldest events.
func Open(ctx context.Context, nc *nats.Conn, cfg Config) (*Stream, error) {
	if cfg.Quota <= 0 || cfg.Reserve < 0 || cfg.Reserve >= cfg.Quota {
		return nil, fmt.Errorf("open event log: quota %d with reserve %d: want 0 <= reserve < quota", cfg.Quota, cfg.Reserve)
	}
	if cfg.AckTimeout <= 0 {
		cfg.AckTimeout = 5 * time.Second
	}
	js, err := newJetStream(nc, cfg.Domain)
	if err != nil {
		return nil, fmt.Errorf("open event log: %w", err)
	}
	named := namesOf(cfg.Shared)
	generation, err := newestGeneration(ctx, js, named)
	if err != nil {
		return nil, fmt.Errorf("list event streams: %w: %w", ErrUnavailable, err)
	}
	first := generation == 0
	if first {
		generation = max(cfg.Generation, 1)
	}
	name := named.stream + strconv.FormatUint(generation, 10)
	var st jetstream.Stream
	if first {
		st, err = js.CreateStream(ctx, streamConfig(name, named, cfg))
	} else {
		st, err = js.Stream(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w: %w", name, ErrUnavailable, err)
	}
	if err := checkStream(st.CachedInfo().Config, named); err != nil {
		return nil, fmt.Errorf("open stream %s: %w", name, err)
	}
	if st, err = raiseQuota(ctx, js, st, cfg.Quota); err != nil {
		return nil, fmt.Errorf("raise quota of %s: %w", name, err)
	}
	if named.shared() { // whoever looks after its servers may have given it more
		cfg.Quota = max(cfg.Quota, st.CachedInfo().Config.MaxBytes)
	}
	s := &Stream{
		conn:       &natsConn{nc: nc, js: js, stream: st, prefix: apiPrefix(cfg.Domain), names: named},
		name:       name,
		generation: generation,
		cfg:        cfg,
		room:       newRoom(cfg, st.CachedInfo().State),
		tails:      newTails(),
		told:       newWitnessed(cfg.Witness, name),
	}
	if last := st.CachedInfo().State.LastSeq; last > 0 {
		s.acknowledged(last)
	}
	return s, nil
}

// acknowledged tells who wants to know that a position is stored.
func (s *Stream) acknowledged(position uint64) {
	if s.cfg.Acknowledged != nil {
		s.cfg.Acknowledged(s.name, position)
	}
}

// Usage asks the leader how full the log is.
func (s *Stream) Usage(ctx context.Context) (Usage, error) {
	state, err := s.conn.state(ctx)
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w: %w", ErrUnavailable, err)
	}
	s.room.refresh(state)
	return Usage{
		Bytes:   int64(state.Bytes),
		Quota:   s.cfg.Quota,
		Reserve: s.cfg.Reserve,
		Events:  state.Msgs,
	}, nil
}

func newJetStream(nc *nats.Conn, domain string) (jetstream.JetStream, error) {
	if domain == "" {
		return jetstream.New(nc)
	}
	return jetstream.NewWithDomain(nc, domain)
}

func apiPrefix(domain string) string {
	if domain == "" {
		return "$JS.API."
	}
	return "$JS." + domain + ".API."
}

// newestGeneration is 0 where there is no event stream yet.
func newestGeneration(ctx context.Context, js jetstream.JetStream, named names) (uint64, error) {
	var newest uint64
	all := js.StreamNames(ctx)
	for name := range all.Name() {
		if n, ok := generationOf(name, named.stream); ok {
			newest = max(newest, n)
		}
	}
	return newest, all.Err()
}

// StreamName is the name of the stream of a generation.
func StreamName(generation uint64) string {
	return streamPrefix + strconv.FormatUint(generation, 10)
}

// Generation is the generation that a stream's name says.
func Generation(name string) (uint64, bool) { return generationOf(name, streamPrefix) }

func generationOf(name, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && err == nil
}

func streamConfig(name string, named names, cfg Config) jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name:        name,
		Description: "events of autopilot",
		Subjects:    []string{named.all()},
		Retention:   jetstream.LimitsPolicy,
		Storage:     jetstream.FileStorage,
		Replicas:    max(cfg.Replicas, 1),
		Discard:     jetstream.DiscardNew,
		MaxBytes:    cfg.Quota,
		MaxMsgSize:  events.MaxBytes + headerBytes,
		DenyDelete:  true,
		DenyPurge:   true,
		Compression: jetstream.NoCompression,
		Metadata:    map[string]string{formatKey: strconv.Itoa(format)},
	}
	if named.shared() {
		c.MaxMsgsPerSubject = int64(cmp.Or(cfg.Shared.Keep, DefaultKeep))
	}
	return c
}

// checkStream refuses a stream of another format, and one that would drop,
// rewrite or answer from a follower what it holds.
func checkStream(c jetstream.StreamConfig, named names) error {
	n, err := strconv.Atoi(c.Metadata[formatKey])
	switch {
	case err != nil:
		return fmt.Errorf("%w: no event format in its metadata", ErrAltered)
	case n > format:
		return fmt.Errorf("event format %d, this version knows %d: %w", n, format, ErrNewer)
	case n < format:
		return fmt.Errorf("event format %d, this version knows %d: %w", n, format, ErrOlder)
	}
	for _, bad := range []struct {
		is   bool
		what string
	}{
		{len(c.Subjects) != 1 || c.Subjects[0] != named.all(), "subjects"},
		{c.Retention != jetstream.LimitsPolicy, "retention"},
		{c.Storage != jetstream.FileStorage, "storage"},
		{c.Discard != jetstream.DiscardNew, "discard"},
		{c.MaxMsgs > 0, "max messages"},
		{c.MaxMsgsPerSubject > 0 != named.shared(), "max messages per subject"},
		{c.MaxAge > 0, "max age"},
		{!c.DenyDelete, "deny delete"},
		{!c.DenyPurge, "deny purge"},
		{c.AllowRollup, "allow rollup"},
		{c.AllowDirect, "allow direct"},
		{c.SubjectTransform != nil, "subject transform"},
	} {
		if bad.is {
			return fmt.Errorf("%w: %s", ErrAltered, bad.what)
		}
	}
	return nil
}

func raiseQuota(ctx context.Context, js jetstream.JetStream, st jetstream.Stream, quota int64) (jetstream.Stream, error) {
	c := st.CachedInfo().Config
	if c.MaxBytes <= 0 || c.MaxBytes >= quota {
		return st, nil
	}
	c.MaxBytes = quota
	return js.UpdateStream(ctx, c)
}

// room counts what the stream holds from the answers to appends, so that an
// append asks nobody. Positions that other writers took count as the largest
// event there is until the stream is asked.
type room struct {
	mu     sync.Mutex
	quota  int64
	limit  int64 // quota less reserve
	bytes  int64
	last   uint64 // newest position known
	others int64  // positions up to last whose size is not known
}

func newRoom(cfg Config, state jetstream.StreamState) *room {
	r := &room{quota: cfg.Quota, limit: cfg.Quota - cfg.Reserve}
	r.refresh(state)
	return r
}

func (r *room) refresh(state jetstream.StreamState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if state.LastSeq < r.last {
		return // older than what an append has been told since
	}
	r.bytes, r.last, r.others = int64(state.Bytes), state.LastSeq, 0
}

// fits says whether size more bytes surely stay within the class's limit.
func (r *room) fits(size int64, c Class) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := r.limit
	if c == Closing {
		limit = r.quota
	}
	return r.bytes+r.others*(events.MaxBytes+headerBytes)+size <= limit
}

func (r *room) stored(position uint64, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += size
	if position <= r.last {
		r.others = max(r.others-1, 0)
		return
	}
	r.others += int64(position - r.last - 1)
	r.last = position
}

// storedSize is what the server's file store needs for one event.
func storedSize(subject string, position uint64, body int) int64 {
	const frame, line = 22 + 4 + 8, len("NATS/1.0\r\n" + conditionHeader + ": \r\n\r\n")
	var digits [20]byte
	return int64(frame + len(subject) + line + len(strconv.AppendUint(digits[:0], position, 10)) + body)
}
