package peer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/projections/run"
)

// Runs are the runs of the daemon, as far as sessions meet them.
type Runs interface {
	// LiveStates are those that are going on. They are only read.
	LiveStates() []*run.State
	// Find is the run of that id or handle; the error is a *wire.Error.
	Find(name string) (run.State, error)
	// Agent is the program that works for a run.
	Agent(s run.State) string
}

// Config is what the sessions are kept with.
type Config struct {
	Journal *journal.Journal
	Chats   *chat.Chats
	Runs    Runs
	Blobs   *blob.Store
	Text    func(events.Ref) string               // of the store, empty for one that is gone
	Owner   func(pid int) (effect string, _ bool) // that a process works for
	Home    string                                // of the user
	Now     func() time.Time                      // of signs of life
	// Lasting is a context that ends with the daemon and not with the caller.
	Lasting func(context.Context) (context.Context, func())
	Log     *slog.Logger
}

// Sessions are the sessions on the bus, and those that are found beside it.
type Sessions struct {
	cfg Config

	deciding sync.Mutex // who may begin, and that it has begun, is one step

	mu    sync.Mutex
	known map[string]*book
	files foreignFiles
}

// Open folds the events of all sessions.
func Open(ctx context.Context, c Config) (*Sessions, error) {
	ps := &Sessions{cfg: c, known: map[string]*book{}}
	if err := ps.read(ctx); err != nil {
		return nil, err
	}
	return ps, nil
}

// Now is what time it is for signs of life.
func (ps *Sessions) Now() time.Time { return ps.cfg.Now() }
