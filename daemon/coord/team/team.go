// Package team is the log that the daemons of several hosts share, and the texts
// that its events name: claims on what a repository has, and accounts.
//
// A Team connects by itself, and again whenever it was lost; nothing waits for it
// but who asks it, and those not long. While nobody answers, its log and its texts
// are log.ErrUnavailable. It stores nothing of its own accord and decides nothing:
// who holds what is said by the folds of its events, on each host alike.
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
	"autopilot/events/wire"
)

// Config is what a Team needs.
type Config struct {
	Servers bus.Team
	Name    string      // of this daemon, for whoever looks after the servers
	Blobs   *blob.Store // texts of others are stored here from then on
	Log     *slog.Logger
	Now     func() time.Time
	Heard   func(context.Context, log.Stored) // an event is stored there, whoever has stored it; from the first on, in their order
	Came    func(context.Context)             // it can be reached, for the first time or again
}

// Team is a log that is shared. Its methods may be called from many goroutines.
type Team struct {
	cfg   Config
	tried chan struct{} // closed when it was tried for the first time
	again chan struct{} // it can be reached, and nobody was told so

	mu     sync.Mutex
	link   *bus.TeamLink
	stream *log.Stream
	texts  *log.Texts
	away   error     // why nobody answers, nil while somebody does
	since  time.Time // of that
}

// Bounds of what is asked of a team.
const (
	quota   = 256 << 20
	reserve = 16 << 20
	ack     = 2 * time.Second
	within  = 8 * time.Second // all of one call
	look    = 5 * time.Second // between two looks whether it answers
	retry   = 30 * time.Second
)

// errUntried: nobody was asked yet.
var errUntried = errors.New("it was not tried yet")

// New is a team that nobody has connected to yet: Run does.
func New(c Config) *Team {
	return &Team{cfg: c, tried: make(chan struct{}), again: make(chan struct{}, 1), away: errUntried, since: c.Now()}
}

// Log is the log that is shared.
func (t *Team) Log() log.Log { return log.NewVia(t.find, within) }

// Tried is closed when it was tried for the first time, with or without an answer.
func (t *Team) Tried() <-chan struct{} { return t.tried }

// find is the log of now.
func (t *Team) find() (log.Log, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		return nil, t.away
	}
	return t.stream, nil
}

// Lost says that nobody answers now.
func (t *Team) Lost() bool {
	_, err := t.find()
	return err != nil
}

// Run is there for the team until ctx ends.
func (t *Team) Run(ctx context.Context) {
	defer t.close()
	wait := time.Second
	for {
		err := t.open(ctx)
		t.note(ctx, err)
		if err == nil {
			break
		}
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, retry)
	}
	var wg sync.WaitGroup
	wg.Go(func() { t.watch(ctx) })
	wg.Go(func() { t.welcome(ctx) })
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

// open connects and opens the log, which it makes where there is none.
func (t *Team) open(ctx context.Context) error {
	t.mu.Lock()
	link := t.link
	t.mu.Unlock()
	if link == nil {
		var err error
		if link, err = bus.DialTeam(t.cfg.Servers, t.cfg.Name, func(err error) { t.note(ctx, err) }); err != nil {
			return err
		}
		t.mu.Lock()
		t.link = link
		t.mu.Unlock()
	}
	opening, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	stream, err := log.Open(opening, link.Conn(), log.Config{Quota: quota, Reserve: reserve, Replicas: t.cfg.Servers.Replicas, AckTimeout: ack})
	if err != nil {
		return err
	}
	texts, err := log.OpenTexts(opening, link.Conn(), t.cfg.Servers.Replicas)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.stream, t.texts = stream, texts
	t.mu.Unlock()
	return nil
}

// note takes whether somebody answers, and says so when that has changed.
func (t *Team) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the daemon ends
	}
	t.mu.Lock()
	was, opened := t.away, t.stream != nil
	if err == nil && !opened {
		t.mu.Unlock()
		return // the link is there, the log is not
	}
	if t.away = err; (was == nil) != (err == nil) || errors.Is(was, errUntried) {
		t.since = t.cfg.Now()
	}
	select {
	case <-t.tried:
	default:
		close(t.tried)
	}
	t.mu.Unlock()
	switch {
	case err != nil && (was == nil || errors.Is(was, errUntried)):
		t.cfg.Log.Warn("the team cannot be reached", "url", t.cfg.Servers.URL, "error", err)
	case err == nil && was != nil:
		t.cfg.Log.Info("the team can be reached", "url", t.cfg.Servers.URL)
		select {
		case t.again <- struct{}{}:
		default: // that is known
		}
	}
}

// welcome tells whoever owes the team something that it can be reached.
func (t *Team) welcome(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.again:
			t.cfg.Came(ctx)
		}
	}
}

// watch looks whether the team answers: servers without a majority keep their
// connections.
func (t *Team) watch(ctx context.Context) {
	silent := 0
	for pause(ctx, look) {
		t.mu.Lock()
		lost := t.link.Lost()
		t.mu.Unlock()
		if lost != nil {
			continue // the link tells of itself
		}
		asking, cancel := context.WithTimeout(ctx, ack)
		_, err := t.stream.Usage(asking)
		cancel()
		if err == nil {
			silent = 0
			t.note(ctx, nil)
		} else if silent++; silent > 1 { // once may be an election
			t.note(ctx, err)
		}
	}
}

// follow hears of all that is stored there, from its beginning.
func (t *Team) follow(ctx context.Context) {
	var at log.Cursor
	for ctx.Err() == nil {
		for st, err := range t.stream.Follow(ctx, at) {
			var expired *log.CursorError
			switch {
			case errors.As(err, &expired):
				t.cfg.Log.Error("the log of the team is another one", "error", err)
				at = expired.Oldest
			case errors.Is(err, log.ErrDamaged):
				t.cfg.Log.Error("read a stored event of the team", "subject", st.Subject, "error", err)
				continue
			}
			if err != nil {
				break
			}
			at = st.Cursor
			t.cfg.Heard(ctx, st)
		}
		pause(ctx, time.Second)
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
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return t.texts.Put(ctx, ref, text)
}

// Text is one that another host may have told, and is stored here from then on.
func (t *Team) Text(ctx context.Context, ref events.Ref) ([]byte, error) {
	if _, err := t.find(); err != nil {
		return nil, fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	text, err := t.texts.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	if blob.Name(text) != ref {
		return nil, fmt.Errorf("read text %s of the team: it is another one", ref)
	}
	_, err = t.cfg.Blobs.Put(ctx, text)
	return text, err
}

// View is how it stands with the team; nil is nobody.
func (t *Team) View() *wire.TeamView {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &wire.TeamView{URL: t.cfg.Servers.URL, Since: t.since.UTC(), Replicas: t.cfg.Servers.Replicas}
	if t.away != nil {
		v.Problem = t.away.Error()
		return v
	}
	v.Server, v.TLS = t.link.Server(), t.link.TLS()
	return v
}
