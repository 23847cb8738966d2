package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	folded "autopilot/projections/account"
)

// Shared are the accounts of a team that this daemon works on. Its methods may be
// called from any goroutine.
type Shared struct {
	journal *journal.Journal // of the team
	actor   string
	now     func() time.Time
	log     *slog.Logger

	mu   sync.Mutex
	open map[string]*sharedRecord
}

// sharedRecord is the record of an account that is in the team's log. While the
// team is out of reach, what is learned here counts here, and is stored later.
type sharedRecord struct {
	of *Shared
	id string

	mu     sync.Mutex
	record *journal.Aggregate[folded.State] // nil while it was never read
	owed   []events.Event
}

// maxOwed bounds what is kept for a team that is out of reach.
const maxOwed = 64

// NewShared makes the Shared of who writes to the log of a team. Nothing is read
// yet.
func NewShared(j *journal.Journal, actor string, now func() time.Time, l *slog.Logger) *Shared {
	return &Shared{journal: j, actor: actor, now: now, log: l, open: map[string]*sharedRecord{}}
}

// Open is the record of an account: as the team has it now, if it can be reached.
func (s *Shared) Open(ctx context.Context, id string) (Record, error) {
	s.mu.Lock()
	a := s.open[id]
	if a == nil {
		a = &sharedRecord{of: s, id: id}
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

func (a *sharedRecord) readLocked(ctx context.Context) error {
	if a.record != nil {
		return nil
	}
	r, err := openLog(ctx, a.of.journal, a.id, a.of.log)
	if err == nil {
		a.record = r
	}
	return err
}

// State implements Record.
func (a *sharedRecord) State() folded.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	var s folded.State
	if a.record != nil {
		s = a.record.State()
	}
	for _, e := range a.owed {
		e.Seq = s.Log.Seq + 1
		s = folded.Evolve(s, e)
	}
	return s
}

// Append implements Record.
func (a *sharedRecord) Append(ctx context.Context, d events.Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.owed) == maxOwed {
		return fmt.Errorf("%w: too much is owed to the team", log.ErrUnavailable)
	}
	a.owed = append(a.owed, events.Event{Aggregate: events.Account(a.id), Time: a.of.now().UTC(), Data: d})
	err := a.settleLocked(ctx)
	if errors.Is(err, log.ErrUnavailable) || errors.Is(err, events.ErrMoved) {
		a.of.log.Warn("what a provider said is told to the team later", "account", a.id, "error", err)
		return nil
	}
	return err
}

// settleLocked stores what is owed.
func (a *sharedRecord) settleLocked(ctx context.Context) error {
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

// Settle stores what is owed of all accounts, and answers them.
func (s *Shared) Settle(ctx context.Context) (ids []string) {
	s.mu.Lock()
	var all []*sharedRecord
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

// Heard takes an event that is stored.
func (s *Shared) Heard(ctx context.Context, st log.Stored) {
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
