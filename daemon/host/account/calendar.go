package account

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

// Record is the log of one account. Append stores an event once, whatever is
// known of its outcome; State has it then.
type Record interface {
	State() folded.State
	Append(ctx context.Context, d events.Data) error
}

// Runs are the runs that work on accounts.
type Runs interface {
	// NotOver is every run that is not over. The states are only read.
	NotOver() []*run.State
	State(id string) (run.State, bool)
	Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error)
}

// Config is what a Calendar works with. All fields are needed.
type Config struct {
	Open  func(ctx context.Context, account string) (Record, error)
	Runs  Runs
	Actor string           // of the daemon
	Now   func() time.Time // wall clock
	Log   *slog.Logger
}

// Calendar is what is known of all accounts. Its methods may be called from any
// goroutine.
type Calendar struct {
	cfg  Config
	wake chan struct{}

	mu       sync.Mutex
	books    map[string]*book
	changed  map[string]bool      // accounts to look at
	troubled map[string]bool      // accounts whose every change matters
	gauges   map[string]run.State // by account: the run whose agent was told last how full its limit is
}

// New makes a Calendar. It starts nothing.
func New(cfg Config) *Calendar {
	return &Calendar{
		cfg: cfg, wake: make(chan struct{}, 1),
		books: map[string]*book{}, changed: map[string]bool{}, troubled: map[string]bool{}, gauges: map[string]run.State{},
	}
}

// book is one account. Its fields are used with the lock held.
type book struct {
	mu      sync.Mutex
	id      string
	record  Record
	let     map[string]entry  // by run: the latest agent that was let in
	learned map[string]string // by run: the latest effect that was looked at
	told    map[string]bool   // runs that were told of the refusal at hand
	owes    bool              // something could not be stored
	no      uint64            // the account's latest no, as far as this daemon has looked
	seen    time.Time         // when this daemon saw it first; only its monotonic clock is used
	lifted  time.Time         // end of the latest wait; only its monotonic clock is used
}

// entry is an agent that was let in.
type entry struct {
	no     uint64    // the account's latest no at that time
	before string    // effect of the run's agent before: once there is another, this one has begun
	at     time.Time // only its monotonic clock is used
}

// beginsWithin is how long an agent that was let in and has not begun keeps its
// place: recording a large work tree takes its time.
const beginsWithin = 5 * time.Minute

// open is the book of an account, locked.
func (c *Calendar) open(ctx context.Context, id string) (*book, error) {
	c.mu.Lock()
	b := c.books[id]
	if b == nil {
		b = &book{id: id, let: map[string]entry{}, learned: map[string]string{}, told: map[string]bool{}}
		c.books[id] = b
	}
	c.mu.Unlock()
	b.mu.Lock()
	if b.record != nil {
		return b, nil
	}
	r, err := c.cfg.Open(ctx, id)
	if err != nil {
		b.mu.Unlock()
		return nil, fmt.Errorf("open the record of an account: %w", err)
	}
	b.record = r
	c.mind(id, r.State().Troubled())
	return b, nil
}

// mind notes whether every change of a run of the account matters.
func (c *Calendar) mind(id string, troubled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !troubled {
		delete(c.troubled, id)
		return
	}
	c.troubled[id] = true
}

// Load learns from runs that are not over, before any of them goes on.
func (c *Calendar) Load(ctx context.Context, open []run.State) error {
	of := map[string][]*run.State{}
	for i, s := range open {
		c.gauge(s)
		for _, id := range s.Accounts() {
			of[id] = append(of[id], &open[i])
		}
	}
	for id, runs := range of {
		b, err := c.open(ctx, id)
		if err != nil {
			return err
		}
		for _, s := range runs {
			c.learn(ctx, b, *s, runs)
		}
		b.mu.Unlock()
		c.look(id)
	}
	return nil
}

// learnOf learns from the latest agent of a run, if that has worked on an account
// and it was not done before, and answers the account.
func (c *Calendar) learnOf(ctx context.Context, s run.State, account string) (folded.State, error) {
	b, err := c.open(ctx, account)
	if err != nil {
		return folded.State{}, err
	}
	defer b.mu.Unlock()
	return c.learn(ctx, b, s, c.of(b.id)), nil
}

// Note takes a change of a run. It does not block.
func (c *Calendar) Note(s run.State) {
	c.gauge(s)
	met := ""
	if (s.Stage == run.Ended || s.Stage == run.Judged) && s.Last.End.Result.OfAccount() {
		met = s.SessionAccount()
	}
	c.mu.Lock()
	matters := false
	for _, id := range s.Accounts() {
		if id == met || c.troubled[id] && s.Stage != run.Started && s.Stage != run.Gates {
			c.changed[id], matters = true, true
		}
	}
	c.mu.Unlock()
	if matters {
		c.rouse()
	}
}

// Heard is told that the log of an account has more than this daemon has stored.
// One that no run here works on is left alone.
func (c *Calendar) Heard(id string) {
	c.mu.Lock()
	known := c.books[id] != nil
	c.mu.Unlock()
	if known {
		c.look(id)
	}
}

// look has an account looked at soon.
func (c *Calendar) look(id string) {
	c.mu.Lock()
	c.changed[id] = true
	c.mu.Unlock()
	c.rouse()
}

func (c *Calendar) rouse() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake
	}
}

// of is every run that may work on an account and is not over.
func (c *Calendar) of(account string) []*run.State {
	var out []*run.State
	for _, s := range c.cfg.Runs.NotOver() {
		if s.Uses(account) {
			out = append(out, s)
		}
	}
	return out
}

// State is what is known of an account that was opened before.
func (c *Calendar) State(id string) (folded.State, bool) {
	c.mu.Lock()
	b := c.books[id]
	c.mu.Unlock()
	if b == nil {
		return folded.State{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.record == nil {
		return folded.State{}, false
	}
	return b.now(c.cfg.Now()), true
}

// Known are the accounts that were opened and have something to show.
func (c *Calendar) Known() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for id := range c.troubled {
		out = append(out, id)
	}
	return out
}

// Records are the accounts that were opened and have events, as these say.
func (c *Calendar) Records() map[string]folded.State {
	c.mu.Lock()
	books := maps.Clone(c.books)
	c.mu.Unlock()
	out := map[string]folded.State{}
	for id, b := range books {
		b.mu.Lock()
		if b.record != nil {
			if s := b.record.State(); s.Log.Seq > 0 {
				out[id] = s
			}
		}
		b.mu.Unlock()
	}
	return out
}
