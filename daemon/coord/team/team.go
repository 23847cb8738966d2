// Package team is the log that the daemons of several hosts share, and the texts
// that its events name: claims on what a repository has, and accounts.
//
// A Team connects by itself, and again whenever it was lost; nothing waits for it
// but its callers, and those not long. While nobody answers, its log and its texts
// are log.ErrUnavailable. It decides nothing: who holds what is said by the folds of
// its events, on each host alike.
//
// Promises:
//   - It answers (View without a Problem) while a majority of the servers has stored
//     something for this host within the last 5 s. A single server that is left is
//     not a team.
//   - It is known (Known) once all has been heard that was stored before the servers
//     began to answer. Until then nobody may say that something is free.
//   - The start reads the latest event of each aggregate and host, however long the
//     log has become.
package team

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/store/blob"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/log"
)

// Config is what a Team needs.
type Config struct {
	Servers bus.Team
	Self    Self
	Blobs   *blob.Store // texts of others are stored here from then on
	Log     *slog.Logger
	Now     func() time.Time
	Heard   func(context.Context, log.Stored) // an event is stored there, whoever has stored it: the latest of each aggregate and host, then all, in their order
	Came    func(context.Context)             // all is known that is stored there, for the first time or again
	Answers func(context.Context)             // a look has shown that it answers
}

// Team is a log that is shared. Its methods may be called from many goroutines.
type Team struct {
	cfg   Config
	tried chan struct{} // closed when it was tried for the first time
	look  signal        // something has changed: look now
	ready signal        // all is known again, and nobody was told so
	heard signal        // it answers, and nobody was told so

	mu    sync.Mutex
	link  *bus.TeamLink
	parts parts
	away  error     // why nobody answers, nil while somebody does
	since time.Time // of that
	at    reading
	seen  sight
}

// parts is what a team keeps at its servers.
type parts struct {
	stream   *log.Stream
	texts    *log.Texts
	presence *log.Presence
}

// signal tells one goroutine that something has happened, however often.
type signal chan struct{}

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default: // that is known
	}
}

// each calls f after each signal until ctx ends.
func (s signal) each(ctx context.Context, f func(context.Context)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s:
			f(ctx)
		}
	}
}

// Bounds of what is asked of a team.
const (
	quota   = 256 << 20
	reserve = 16 << 20
	ack     = 2 * time.Second
	Within  = 8 * time.Second // all of one call
	opening = 3 * time.Second // one attempt to open it
	retry   = 2 * time.Second // longest wait between two of them
)

// errUntried: nobody has answered yet.
var errUntried = errors.New("the first connection is being made")

// New is a team that nobody has connected to yet: Run does.
func New(c Config) *Team {
	return &Team{
		cfg: c, tried: make(chan struct{}), look: make(signal, 1), ready: make(signal, 1), heard: make(signal, 1),
		away: errUntried, since: c.Now(), seen: sight{hosts: map[string]Host{}},
	}
}

// Log is the log that is shared.
func (t *Team) Log() log.Log { return log.NewVia(t.find, Within) }

// Tried is closed when it was tried for the first time: it can be reached and all is
// known, or it cannot be reached.
func (t *Team) Tried() <-chan struct{} { return t.tried }

// find is the log of now.
func (t *Team) find() (log.Log, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		return nil, t.away
	}
	return t.parts.stream, nil
}

// Last is the latest event of an aggregate, as the leader has it.
func (t *Team) Last(ctx context.Context, agg events.Aggregate) (st log.Stored, ok bool, err error) {
	if _, err := t.find(); err != nil {
		return st, false, fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	return t.now().stream.Last(ctx, agg)
}

func (t *Team) now() parts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.parts
}

// Lost says that nobody answers now.
func (t *Team) Lost() bool {
	_, err := t.find()
	return err != nil
}

// Run is there for the team until ctx ends.
func (t *Team) Run(ctx context.Context) {
	defer t.close()
	wait := 250 * time.Millisecond
	for {
		err := t.open(ctx)
		if err == nil {
			break
		}
		t.note(ctx, err)
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, retry)
	}
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){
		t.watch, t.survey,
		func(ctx context.Context) { t.ready.each(ctx, t.cfg.Came) },
		func(ctx context.Context) { t.heard.each(ctx, t.cfg.Answers) },
	} {
		wg.Go(func() { work(ctx) })
	}
	t.follow(ctx)
	wg.Wait()
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// open connects and opens what the team keeps, which it makes where there is none.
func (t *Team) open(ctx context.Context) error {
	t.mu.Lock()
	link := t.link
	t.mu.Unlock()
	if link == nil {
		var err error
		if link, err = bus.DialTeam(t.cfg.Servers, "autopilotd "+t.cfg.Self.Host, func(error) { t.look.send() }); err != nil {
			return err
		}
		t.mu.Lock()
		t.link = link
		t.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	var p parts
	var err error
	want := t.cfg.Servers.Replicas
	p.stream, err = log.Open(ctx, link.Conn(), log.Config{
		Quota: quota, Reserve: reserve, Replicas: want, AckTimeout: ack, Shared: &log.Sharing{Host: t.cfg.Self.Host},
	})
	if err == nil {
		p.texts, err = log.OpenTexts(ctx, link.Conn(), want)
	}
	if err == nil {
		p.presence, err = log.OpenPresence(ctx, link.Conn(), want)
	}
	if err != nil {
		return t.cause(err)
	}
	t.mu.Lock()
	t.parts = p
	t.mu.Unlock()
	return nil
}

// cause is an error of the servers with what they did not let this user do.
func (t *Team) cause(err error) error {
	t.mu.Lock()
	link := t.link
	t.mu.Unlock()
	if link == nil {
		return err
	}
	if lost := link.Lost(); lost != nil {
		return lost
	}
	if denied := link.Denied(); denied != nil {
		return fmt.Errorf("%w; the servers have refused: %w", err, denied)
	}
	return err
}

// note takes whether somebody answers, and says so when that has changed.
func (t *Team) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the daemon ends
	}
	t.mu.Lock()
	was := t.away
	if t.away = err; (was == nil) != (err == nil) || errors.Is(was, errUntried) {
		t.since = t.cfg.Now()
	}
	if err != nil {
		t.at.known, t.at.aimed = false, false
		t.triedLocked()
	}
	t.mu.Unlock()
	switch {
	case err != nil && (was == nil || errors.Is(was, errUntried)):
		t.cfg.Log.Warn("the team cannot be reached", "url", t.cfg.Servers.URL, "error", err)
	case err == nil && was != nil:
		t.cfg.Log.Info("the team can be reached", "url", t.cfg.Servers.URL)
	}
}

func (t *Team) triedLocked() {
	select {
	case <-t.tried:
	default:
		close(t.tried)
	}
}

func (t *Team) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away = errors.New("the daemon ends")
	if t.link != nil {
		t.link.Close()
	}
}

// Tell stores a text where the others find it.
func (t *Team) Tell(ctx context.Context, ref events.Ref, text []byte) error {
	if _, err := t.find(); err != nil {
		return fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	return t.now().texts.Put(ctx, ref, text)
}

// Text is one that another host may have told, and is stored here from then on.
func (t *Team) Text(ctx context.Context, ref events.Ref) ([]byte, error) {
	if _, err := t.find(); err != nil {
		return nil, fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	text, err := t.now().texts.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	if blob.Name(text) != ref {
		return nil, fmt.Errorf("read text %s of the team: it is another one", ref)
	}
	_, err = t.cfg.Blobs.Put(ctx, text)
	return text, err
}
