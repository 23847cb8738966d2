package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/account"
	"autopilot/daemon/engine"
	"autopilot/daemon/journal"
	"autopilot/events"
	"autopilot/events/log"
	limits "autopilot/projections/account"
	"autopilot/projections/chain"
)

// sharedAccounts are the accounts of a team that this daemon works on.
type sharedAccounts struct {
	journal *journal.Journal // of the team
	actor   string
	now     func() time.Time
	log     *slog.Logger

	mu   sync.Mutex
	open map[string]*sharedAccount
}

// sharedAccount is the record of an account that is in the team's log. While the
// team is out of reach, what is learned here counts here, and is stored later.
type sharedAccount struct {
	of *sharedAccounts
	id string

	mu     sync.Mutex
	record *journal.Aggregate[limits.State] // nil while it was never read
	owed   []events.Event
}

// maxOwed bounds what is kept for a team that is out of reach.
const maxOwed = 64

func (d *Daemon) newSharedAccounts() *sharedAccounts {
	return &sharedAccounts{journal: d.teamLog, actor: events.ActorDaemon(d.host), now: time.Now, log: d.cfg.Log, open: map[string]*sharedAccount{}}
}

// Open is the record of an account: as the team has it now, if it can be reached.
func (s *sharedAccounts) Open(ctx context.Context, id string) (account.Record, error) {
	s.mu.Lock()
	a := s.open[id]
	if a == nil {
		a = &sharedAccount{of: s, id: id}
		s.open[id] = a
	}
	s.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.readLocked(ctx); err != nil && !errors.Is(err, log.ErrUnavailable) {
		return nil, err
	}
	return a, nil
}

func (a *sharedAccount) readLocked(ctx context.Context) error {
	if a.record != nil {
		return nil
	}
	r, err := journal.Open(ctx, a.of.journal, events.Account(a.id), journal.Fold[limits.State]{
		Evolve: limits.Evolve,
		Log:    func(s *limits.State) *chain.Log { return &s.Log },
	}, a.of.log)
	if err == nil {
		a.record = r
	}
	return err
}

// State implements account.Record.
func (a *sharedAccount) State() limits.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	var s limits.State
	if a.record != nil {
		s = a.record.State()
	}
	for _, e := range a.owed {
		e.Seq = s.Log.Seq + 1
		s = limits.Evolve(s, e)
	}
	return s
}

// Append implements account.Record.
func (a *sharedAccount) Append(ctx context.Context, d events.Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.owed) == maxOwed {
		return fmt.Errorf("%w: too much is owed to the team", log.ErrUnavailable)
	}
	a.owed = append(a.owed, events.Event{Aggregate: events.Account(a.id), Time: a.of.now().UTC(), Data: d})
	err := a.settleLocked(ctx)
	if errors.Is(err, log.ErrUnavailable) || errors.Is(err, engine.ErrMoved) {
		a.of.log.Warn("what a provider said is told to the team later", "account", a.id, "error", err)
		return nil
	}
	return err
}

// settleLocked stores what is owed.
func (a *sharedAccount) settleLocked(ctx context.Context) error {
	if err := a.readLocked(ctx); err != nil {
		return err
	}
	for len(a.owed) > 0 {
		if _, err := a.record.Append(ctx, a.owed[0].Data, a.of.actor, ""); err != nil {
			return err
		}
		a.owed = a.owed[1:]
	}
	return nil
}

// settle stores what is owed of all accounts, and answers them.
func (s *sharedAccounts) settle(ctx context.Context) (ids []string) {
	s.mu.Lock()
	var all []*sharedAccount
	for id, a := range s.open {
		ids, all = append(ids, id), append(all, a)
	}
	s.mu.Unlock()
	for _, a := range all {
		a.mu.Lock()
		err := a.settleLocked(ctx)
		a.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			s.log.Warn("tell the team what a provider said", "account", a.id, "error", err)
		}
	}
	return ids
}

// heard takes an event that is stored.
func (s *sharedAccounts) heard(ctx context.Context, st log.Stored) {
	s.mu.Lock()
	a := s.open[st.Event.Aggregate.ID]
	s.mu.Unlock()
	if a == nil {
		return // read when a run works on it
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.readLocked(ctx); err == nil {
		a.record.Hear(st)
	}
}
