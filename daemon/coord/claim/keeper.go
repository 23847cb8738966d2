package claim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/coord/team"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	lease "autopilot/projections/claim"
)

// Config is what a Keeper needs.
type Config struct {
	Journal  *journal.Journal
	Team     *team.Team       // nil is none
	TeamLog  *journal.Journal // of it
	Blobs    *blob.Store
	Host     string
	StateDir string
	Now      func() time.Time
	Alive    func(events.ClaimOwner) bool // its process goes on
	Live     func(run string) bool        // of this host
	Log      *slog.Logger
}

// Keeper is who of this daemon's host has which claim. Its methods may be called
// from many goroutines; nothing here waits for a run.
//
// What a work tree has is of this host, and in its own log. The rest is in the log
// of the team, where there is one.
type Keeper struct {
	Config
	wake chan struct{}

	mu       sync.Mutex
	books    map[string]*book
	known    map[string]claimed // by id: every claim of the own log, and those of the team's that are held
	news     map[string]news    // by id: what the team's log has told last
	unread   map[string]bool    // ids: of the team's log, held from here, and not opened
	starting map[string]bool    // runs that have theirs, or are about to, and may not be live yet
}

// claimed is what a claim is about.
type claimed struct {
	kind events.ClaimKind
	key  events.Ref
}

// news is a claim of the team as it was heard of.
type news struct {
	state lease.State
	at    time.Time // when its latest event was heard of first; only its monotonic clock is used
}

// book is one claim. Its fields are used with the lock held.
type book struct {
	mu     sync.Mutex
	key    Key
	record *journal.Aggregate[lease.State]
	seq    uint64    // of the latest event, as it was when
	seen   time.Time // this daemon saw it first; only its monotonic clock is used
	mark   *Mark     // of a work tree, while the claim is held from here
}

// TTL is for how long a claim is fresh, unless who takes it says otherwise.
//
// Source: atdd-kit, seeds 3.9.3.
const TTL = 2 * time.Hour

// New knows of no claim yet: Index finds those of the log.
func New(c Config) *Keeper {
	return &Keeper{
		Config: c, wake: make(chan struct{}, 1),
		books: map[string]*book{}, known: map[string]claimed{}, starting: map[string]bool{},
		news: map[string]news{}, unread: map[string]bool{},
	}
}

// open is the book of a claim, locked. nil is one that nobody ever had, unless it
// is to be made.
func (c *Keeper) open(ctx context.Context, k Key, make bool) (*book, error) {
	id := k.ID()
	c.mu.Lock()
	if _, known := c.known[id]; !known && !make {
		c.mu.Unlock()
		return nil, nil //nolint:nilnil // as said above
	}
	b := c.books[id]
	if b == nil {
		b = &book{key: k}
		c.books[id] = b
	}
	c.mu.Unlock()
	b.mu.Lock()
	if b.record != nil {
		return b, nil
	}
	r, err := c.read(ctx, k)
	if err != nil {
		b.mu.Unlock()
		return nil, fmt.Errorf("open the record of a claim: %w", err)
	}
	b.record = r
	return b, nil
}

// read reads the record of a claim. Of one of the team the latest event says all.
func (c *Keeper) read(ctx context.Context, k Key) (*journal.Aggregate[lease.State], error) {
	agg := events.ClaimOf(k.ID())
	if !c.shares(k.Kind) {
		return journal.Open(ctx, c.Journal, agg, fold(), c.Log)
	}
	last, ok, err := c.Team.Last(ctx, agg)
	switch {
	case errors.Is(err, log.ErrDamaged):
		return journal.Open(ctx, c.TeamLog, agg, fold(), c.Log)
	case err != nil:
		return nil, err
	case !ok:
		return journal.NewAggregate(c.TeamLog, agg, fold()), nil
	}
	return journal.OpenAt(c.TeamLog, last, fold()), nil
}

func fold() journal.Fold[lease.State] {
	return journal.Fold[lease.State]{
		Evolve: lease.Evolve,
		Log:    func(s *lease.State) *chain.Log { return &s.Log },
	}
}

// Index finds the claims that the log has.
func (c *Keeper) Index(ctx context.Context) error {
	for stored, err := range c.Journal.Log.ReadKind(ctx, events.KindClaim) {
		if errors.Is(err, log.ErrDamaged) {
			c.Log.Error("read a stored event", "subject", stored.Subject, "error", err)
			continue
		}
		if err != nil {
			return fmt.Errorf("read the events of the claims: %w", err)
		}
		if d, ok := stored.Event.Data.(events.ClaimAcquired); ok && !c.shares(d.Kind) {
			c.know(stored.Event.Aggregate.ID, claimed{d.Kind, d.Key})
		}
	}
	return nil
}

func (c *Keeper) know(id string, n claimed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[id] = n
}

// name stores what a claim is about, before anybody has it.
func (c *Keeper) name(ctx context.Context, k Key) (events.Ref, error) {
	text, err := k.Text()
	if err != nil {
		return "", err
	}
	ref, err := c.Blobs.Put(ctx, text)
	if err == nil && c.shares(k.Kind) {
		err = c.Team.Tell(ctx, ref, text)
	}
	if err != nil {
		return "", fmt.Errorf("store what a claim is about: %w", err)
	}
	return ref, nil
}

// sight is what this daemon knows of a holder beside the log.
func (c *Keeper) sight(b *book) lease.Sight {
	s := b.record.State()
	if b.seen.IsZero() || b.seq != s.Log.Seq {
		b.seq, b.seen = s.Log.Seq, c.heardOf(b.key.ID(), s.Log.Seq)
	}
	return c.sightOf(s, b.seen)
}

// sightOf is what this daemon knows of the holder of a claim that it has seen first at
// a time.
func (c *Keeper) sightOf(s lease.State, seen time.Time) lease.Sight {
	at := lease.Sight{Now: c.Now(), Here: s.Owner.Host == c.Host, Seen: time.Since(seen)}
	at.Alive = at.Here && c.goesOn(s.Owner)
	return at
}

// goesOn says that an owner of this host is there.
func (c *Keeper) goesOn(o events.ClaimOwner) bool {
	if o.Run != "" {
		return c.runs(o.Run)
	}
	return c.Alive(o)
}

// Owns says that a chat is an owner, or below it.
func (c *Keeper) Owns(who chat.Chat, o events.ClaimOwner) bool {
	return o.Host == c.Host && o.Run == "" && o.Same(o) && who.Is(events.SessionJoined{PID: o.PID, Start: o.Start, Boot: o.Boot})
}

// runs says that a run of this host is live, or about to be.
func (c *Keeper) runs(id string) bool {
	c.mu.Lock()
	starting := c.starting[id]
	c.mu.Unlock()
	return starting || c.Live(id)
}

// wish is a claim that somebody wants.
type wish struct {
	key          Key
	owner        events.ClaimOwner
	who          string // for people
	ttl          time.Duration
	actor, cause string
}

// takeSteps bounds the events on the way to a claim.
const takeSteps = 4

// take gets a claim for the caller, or renews it. Another holder is a *HeldError; of
// a work tree, one of another state directory is a *MarkedError.
func (c *Keeper) take(ctx context.Context, w wish) (lease.State, lease.Sight, error) {
	ctx, cancel := c.within(ctx, w.key)
	defer cancel()
	b, err := c.open(ctx, w.key, true)
	if err != nil {
		return lease.State{}, lease.Sight{}, c.lost(w.key, err)
	}
	defer b.mu.Unlock()
	if err := errors.Join(c.fresh(ctx, b), c.left(ctx, b)); err != nil {
		return lease.State{}, lease.Sight{}, c.why(b, err)
	}
	ref, err := c.name(ctx, w.key)
	if err != nil {
		return lease.State{}, lease.Sight{}, c.why(b, err)
	}
	ask := events.ClaimAcquired{Kind: w.key.Kind, Key: ref, Owner: w.owner, TTLMS: w.ttl.Milliseconds()}
	if _, err := lease.Take(b.record.State(), ask, c.sight(b)); err != nil {
		return b.record.State(), c.sight(b), c.why(b, err)
	}
	marked, err := c.markFor(ctx, b, w)
	if err != nil {
		return lease.State{}, lease.Sight{}, err
	}
	failpoint.Hit(failpoint.BeforeClaim)
	for range takeSteps {
		e, derr := b.record.Decide(ctx, func(s lease.State) (events.Data, error) { return lease.Take(s, ask, c.sight(b)) }, w.actor, w.cause)
		if err = derr; err != nil {
			break
		}
		if _, expired := e.Data.(events.ClaimExpired); !expired {
			failpoint.Hit(failpoint.AfterClaim)
			c.took(w.key, ref)
			return b.record.State(), c.sight(b), nil
		}
	}
	if marked {
		err = errors.Join(err, b.unmark())
	}
	return b.record.State(), c.sight(b), c.why(b, err)
}

// HeldError says that another has a claim.
type HeldError struct {
	Key   Key
	State lease.State
	At    lease.Sight
}

func (e *HeldError) Error() string { return lease.ErrHeld.Error() }

func (e *HeldError) Unwrap() error { return lease.ErrHeld }

func (c *Keeper) why(b *book, err error) error {
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrOwner) {
		return &HeldError{b.key, b.record.State(), c.sight(b)}
	}
	return c.lost(b.key, err)
}

// left gives back the claim of a run of this host that is over: nobody else does.
//
// Source: session-orchestrator, seeds 6.1, S29; atdd-kit, 6.2, A49.
func (c *Keeper) left(ctx context.Context, b *book) error {
	s := b.record.State()
	if !s.Held() || s.Owner.Host != c.Host || s.Owner.Run == "" || c.runs(s.Owner.Run) {
		return nil
	}
	_, err := b.record.Decide(ctx, func(now lease.State) (events.Data, error) {
		if now.Fence != s.Fence {
			return nil, lease.ErrFence
		}
		return events.ClaimReleased{Fence: s.Fence}, nil
	}, events.ActorDaemon(c.Host), "")
	if errors.Is(err, lease.ErrFence) {
		return nil
	}
	return errors.Join(err, b.unmark())
}

// drop gives a claim back. owner is the one of those who ask that has it, if any
// does.
func (c *Keeper) drop(ctx context.Context, k Key, owner func(events.ClaimOwner) events.ClaimOwner, actor, cause string) (lease.State, error) {
	return c.end(ctx, k, func(s lease.State) (events.Data, error) { return lease.Drop(s, owner(s.Owner), 0) }, actor, cause)
}

// end stores the end of a holder, and answers the claim as it was.
func (c *Keeper) end(ctx context.Context, k Key, f func(lease.State) (events.Data, error), actor, cause string) (lease.State, error) {
	ctx, cancel := c.within(ctx, k)
	defer cancel()
	b, err := c.open(ctx, k, c.shares(k.Kind))
	if err != nil {
		return lease.State{}, c.lost(k, err)
	}
	if b == nil {
		return lease.State{}, lease.ErrFree
	}
	defer b.mu.Unlock()
	if err := c.fresh(ctx, b); err != nil {
		return lease.State{}, c.lost(k, err)
	}
	was := b.record.State()
	_, err = b.record.Decide(ctx, f, actor, cause)
	if errors.Is(err, lease.ErrFree) && b.record.Answered(ctx, cause) {
		return was, nil
	}
	if err != nil {
		return was, c.why(b, err)
	}
	return was, b.unmark()
}

// Peek is a claim as it is now; one of the team as it was heard of, where that is
// known. What is not known is log.ErrUnavailable.
func (c *Keeper) Peek(ctx context.Context, k Key) (lease.State, lease.Sight, error) {
	if s, at, ok := c.heard(k); ok {
		return s, at, nil
	}
	b, err := c.open(ctx, k, c.shares(k.Kind))
	if b == nil || err != nil {
		return lease.State{}, lease.Sight{}, c.lost(k, err)
	}
	defer b.mu.Unlock()
	return b.record.State(), c.sight(b), nil
}
