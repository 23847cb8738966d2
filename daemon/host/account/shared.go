package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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
	// Patience is how long a run waits for a team of which nobody knows yet that it is out of
	// reach.
	Patience time.Duration

	mu     sync.Mutex
	open   map[string]*sharedRecord
	silent time.Time // the team did not answer in time, the latest that it happened
}

// sharedRecord is the record of an account that is in the team's log. While the
// team is out of reach, what is learned here counts here, and is stored later.
type sharedRecord struct {
	of *Shared
	id string

	mu     sync.Mutex
	record *journal.Aggregate[folded.State] // nil while it was never read
	owed   []debt
}

// debt is an event that the team has not got, or of which nobody knows.
type debt struct {
	event events.Event
	cause string // by which it is found in the log
	after uint64 // it was tried behind that event; it may be stored
	tried bool
}

// Bounds of what is kept for a team that is out of reach.
const (
	maxOwed  = 64
	patience = time.Second
	quiet    = 2 * time.Second // after an answer that did not come in time, nobody waits for so long
)

// NewShared makes the Shared of a daemon that writes to the log of a team. Nothing is
// read yet.
func NewShared(j *journal.Journal, actor string, now func() time.Time, l *slog.Logger) *Shared {
	return &Shared{journal: j, actor: actor, now: now, log: l, Patience: patience, open: map[string]*sharedRecord{}}
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
	if err := s.briefly(ctx, a.readLocked); err != nil && !away(err) {
		return nil, err
	}
	return a, nil
}

// away says that an error is one of a team that does not answer.
func away(err error) bool {
	return errors.Is(err, log.ErrUnavailable) || errors.Is(err, events.ErrMoved)
}

// briefly asks the team, and waits for it no longer than a run may. After it has not
// answered in time, the next ones do not wait at all for a while.
func (s *Shared) briefly(ctx context.Context, ask func(context.Context) error) error {
	s.mu.Lock()
	silent := time.Since(s.silent) < quiet
	s.mu.Unlock()
	if silent {
		return fmt.Errorf("%w: it did not answer within %v", log.ErrUnavailable, s.Patience)
	}
	asking, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	err := ask(asking)
	if err != nil && asking.Err() != nil && ctx.Err() == nil {
		s.mu.Lock()
		s.silent = time.Now()
		s.mu.Unlock()
		return fmt.Errorf("%w: %w", log.ErrUnavailable, err)
	}
	return err
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
	for _, d := range a.owed {
		d.event.Seq = s.Log.Seq + 1
		s = folded.Evolve(s, d.event)
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
	now := a.of.now().UTC()
	a.owed = append(a.owed, debt{event: events.Event{Aggregate: events.Account(a.id), Time: now, Data: d}, cause: journal.NewID(now)})
	err := a.of.briefly(ctx, a.settleLocked)
	if err != nil && away(err) {
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
		d := &a.owed[0]
		if stored, err := a.storedLocked(ctx, *d); err != nil {
			return err
		} else if !stored {
			if !d.tried {
				d.after, d.tried = a.record.Seq(), true
			}
			if _, err := a.record.Append(ctx, d.event.Data, a.of.actor, d.cause); err != nil {
				return err
			}
		}
		a.owed = a.owed[1:]
	}
	return nil
}

// storedLocked says that a debt that was tried before is stored: its answer was lost.
func (a *sharedRecord) storedLocked(ctx context.Context, d debt) (found bool, err error) {
	if !d.tried {
		return false, nil
	}
	for st, err := range a.of.journal.Log.Read(ctx, events.Account(a.id), d.after) {
		if err != nil {
			return false, err
		}
		a.record.Hear(st)
		found = found || st.Event.Causation == d.cause
	}
	return found, nil
}

// Known are the accounts that this daemon works on.
func (s *Shared) Known() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.open))
}

// Settle stores what is owed of all accounts, and answers those of which something was.
func (s *Shared) Settle(ctx context.Context) (ids []string) {
	s.mu.Lock()
	all := maps.Clone(s.open)
	s.mu.Unlock()
	for id, a := range all {
		a.mu.Lock()
		var err error
		if len(a.owed) > 0 {
			ids = append(ids, id)
			err = s.briefly(ctx, a.settleLocked)
		}
		a.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			s.log.Warn("tell the team what a provider said", "account", id, "error", err)
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
	if err := s.briefly(ctx, a.readLocked); err != nil {
		return // it is read when a run needs it
	}
	if st.Event.Seq <= a.record.Seq()+1 {
		a.record.Hear(st)
	} else if err := s.briefly(ctx, a.record.Refresh); err != nil && ctx.Err() == nil {
		s.log.Warn("read what the team knows of an account", "account", a.id, "error", err)
	}
}
