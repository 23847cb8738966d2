package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/blob"
	"autopilot/daemon/bus"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// team is the log that this daemon shares with those of other hosts: claims on
// what a repository has, and accounts. It connects by itself, and again whenever
// it was lost. Everything else that the daemon does needs it for nothing.
type team struct {
	cfg     bus.Team
	name    string
	blobs   *blob.Store
	log     *slog.Logger
	heard   func(context.Context, log.Stored)
	came    func(context.Context) // it can be reached, for the first time or again
	journal *journal

	first chan struct{} // closed when it was tried for the first time
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
	teamQuota   = 256 << 20
	teamReserve = 16 << 20
	teamAck     = 2 * time.Second
	teamWithin  = 8 * time.Second // all of one call
	teamFirst   = 3 * time.Second // that a start waits for it
	teamLook    = 5 * time.Second // between two looks whether it answers
	teamAgain   = 30 * time.Second
)

// errTeamTried: nobody was asked yet.
var errTeamTried = errors.New("it was not tried yet")

// newTeam is nil without servers.
func (d *Daemon) newTeam(now func() time.Time) *team {
	if d.cfg.Team == nil {
		return nil
	}
	t := &team{
		cfg: *d.cfg.Team, name: "autopilotd " + d.host, blobs: d.blobs, log: d.cfg.Log, first: make(chan struct{}),
		again: make(chan struct{}, 1),
		away:  errTeamTried, since: now(),
	}
	t.journal = newJournal(log.NewVia(t.find, teamWithin), d.host, now)
	return t
}

// find is the log of now.
func (t *team) find() (log.Log, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away != nil {
		return nil, t.away
	}
	return t.stream, nil
}

// lost says that nobody answers now.
func (t *team) lost() bool {
	_, err := t.find()
	return err != nil
}

// Run is there for the team until ctx ends.
func (t *team) Run(ctx context.Context) {
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
		wait = min(2*wait, teamAgain)
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
func (t *team) open(ctx context.Context) error {
	t.mu.Lock()
	link := t.link
	t.mu.Unlock()
	if link == nil {
		var err error
		if link, err = bus.DialTeam(t.cfg, t.name, func(err error) { t.note(ctx, err) }); err != nil {
			return err
		}
		t.mu.Lock()
		t.link = link
		t.mu.Unlock()
	}
	opening, cancel := context.WithTimeout(ctx, teamWithin)
	defer cancel()
	stream, err := log.Open(opening, link.Conn(), log.Config{Quota: teamQuota, Reserve: teamReserve, Replicas: t.cfg.Replicas, AckTimeout: teamAck})
	if err != nil {
		return err
	}
	texts, err := log.OpenTexts(opening, link.Conn(), t.cfg.Replicas)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.stream, t.texts = stream, texts
	t.mu.Unlock()
	return nil
}

// note takes whether somebody answers, and says so when that has changed.
func (t *team) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the daemon ends
	}
	t.mu.Lock()
	was, opened := t.away, t.stream != nil
	if err == nil && !opened {
		t.mu.Unlock()
		return // the link is there, the log is not
	}
	if t.away = err; (was == nil) != (err == nil) || errors.Is(was, errTeamTried) {
		t.since = time.Now()
	}
	t.mu.Unlock()
	switch {
	case err != nil && (was == nil || errors.Is(was, errTeamTried)):
		t.log.Warn("the team cannot be reached", "url", t.cfg.URL, "error", err)
	case err == nil && was != nil:
		t.log.Info("the team can be reached", "url", t.cfg.URL)
		select {
		case t.again <- struct{}{}:
		default: // that is known
		}
	}
	select {
	case <-t.first:
	default:
		close(t.first)
	}
}

// welcome tells whoever owes the team something that it can be reached.
func (t *team) welcome(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.again:
			t.came(ctx)
		}
	}
}

// watch looks whether the team answers: servers without a majority keep their
// connections.
func (t *team) watch(ctx context.Context) {
	silent := 0
	for pause(ctx, teamLook) {
		t.mu.Lock()
		lost := t.link.Lost()
		t.mu.Unlock()
		if lost != nil {
			continue // the link tells of itself
		}
		asking, cancel := context.WithTimeout(ctx, teamAck)
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
func (t *team) follow(ctx context.Context) {
	var at log.Cursor
	for ctx.Err() == nil {
		for st, err := range t.stream.Follow(ctx, at) {
			var expired *log.CursorError
			switch {
			case errors.As(err, &expired):
				t.log.Error("the log of the team is another one", "error", err)
				at = expired.Oldest
			case errors.Is(err, log.ErrDamaged):
				t.log.Error("read a stored event of the team", "subject", st.Subject, "error", err)
				continue
			}
			if err != nil {
				break
			}
			at = st.Cursor
			t.heard(ctx, st)
		}
		pause(ctx, time.Second)
	}
}

func (t *team) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away = errors.New("the daemon ends")
	if t.link != nil {
		t.link.Close()
	}
}

// tell stores a text where the others find it.
func (t *team) tell(ctx context.Context, ref events.Ref, text []byte) error {
	if _, err := t.find(); err != nil {
		return fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, teamWithin)
	defer cancel()
	return t.texts.Put(ctx, ref, text)
}

// text is one that another host may have told, and is stored here from then on.
func (t *team) text(ctx context.Context, ref events.Ref) ([]byte, error) {
	if _, err := t.find(); err != nil {
		return nil, fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, teamWithin)
	defer cancel()
	text, err := t.texts.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	if blob.Name(text) != ref {
		return nil, fmt.Errorf("read text %s of the team: it is another one", ref)
	}
	_, err = t.blobs.Put(ctx, text)
	return text, err
}

// view is how it stands with the team; nil is nobody.
func (t *team) view() *wire.TeamView {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &wire.TeamView{URL: t.cfg.URL, Since: t.since.UTC(), Replicas: t.cfg.Replicas}
	if t.away != nil {
		v.Problem = t.away.Error()
		return v
	}
	v.Server, v.TLS = t.link.Server(), t.link.TLS()
	return v
}

// openTeam begins to share, and waits a little: who asks first shall not hear that
// it was not tried yet.
func (d *Daemon) openTeam(ctx context.Context) {
	if d.team == nil {
		return
	}
	d.team.heard, d.team.came = d.teamHeard, d.teamCame
	d.fleet.wg.Go(func() { d.team.Run(ctx) })
	timer := time.NewTimer(teamFirst)
	defer timer.Stop()
	select {
	case <-d.team.first:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// teamHeard takes an event of the team's log, whoever has stored it.
func (d *Daemon) teamHeard(ctx context.Context, st log.Stored) {
	switch st.Event.Aggregate.Kind {
	case events.KindClaim:
		d.claims.heard(ctx, st)
	case events.KindAccount:
		d.shared.heard(ctx, st)
		d.accounts.Heard(st.Event.Aggregate.ID)
	case events.KindRun, events.KindPeer, events.KindHost: // each daemon has its own
	}
}

// teamCame stores what is owed, and looks at what was not seen meanwhile.
func (d *Daemon) teamCame(ctx context.Context) {
	for _, id := range d.shared.settle(ctx) {
		d.accounts.Heard(id)
	}
	d.claims.rouse()
}
