// Package removal erases and prunes what runs have written: texts, outputs of
// effects and recorded trees.
//
// It owns the question who still names them, and what is being removed: a Record of
// that is in a file before anything is touched, and until the host's log says that it
// was done. A Sweeper that finds one does it again. So each removal is carried out
// whole and said once, whenever a daemon is killed; and whoever misses a text in
// between is told the same as afterwards.
//
// What any event names that stays is not removed, and neither is a text that was put
// while a removal is looked for or done (blob.Purge). It never changes the log: events
// of erased runs stay, and their chain holds. One removal is done at a time; all of a
// Sweeper may be used from many goroutines, and it starts none.
package removal

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// Runs is every run that the daemon knows.
type Runs interface {
	Heads() []snapshot.Head    // newest first
	AllHeads() []snapshot.Head // and behind them those that came from elsewhere
	State(id string) (run.State, bool)
	Read(h snapshot.Head) (run.State, error) // the state of one that is in a list
	IsArchived(id string) bool               // in the archive, and not in the log
	IsImported(id string) bool
	Settle(ctx context.Context, id string) error // waits until all is done that the end of a run brings with it
	// Hold keeps runs from starting in a workspace; an error says that one is there.
	Hold(project, cause, except string) (release func(), err error)
}

// Work is what the runs of workspaces leave beside texts and outputs.
type Work interface {
	DropTrees(ctx context.Context, d tree.Dropping) (named int, err error)
	DropSecret(id string) error
}

// Stores are where there is something to remove, and where it is named.
type Stores struct {
	State   string // directory
	Blobs   *blob.Store
	Effects *effect.Runner
	Events  log.Log // with the runs that only the archive has
	Archive *archive.Archive
	Hosts   *journal.Aggregate[host.State] // what was removed is said there
}

// People is how a person decides.
type People interface {
	Prove(q auth.Request) (p person.Proof, actor string, err error)
	ToErase(s run.State, proven events.Assurance, body wire.EraseRequest) (events.Assurance, error)
	HasPIN() bool
}

// Config is what a Sweeper works with.
type Config struct {
	Stores
	Runs   Runs
	Work   Work
	People People
	Find   func(ctx context.Context, ref wire.RunRef) (run.State, error)
	Task   func(s run.State) string // in one line
	// Lasting makes a context that ends with the daemon and not with the caller.
	Lasting func(ctx context.Context) (context.Context, func())
	Log     *slog.Logger
}

// Sweeper erases and prunes, and knows what is gone.
type Sweeper struct {
	cfg     Config
	mu      sync.Mutex             // one removal at a time
	pending atomic.Pointer[Record] // that is in the file
}

// New is a Sweeper that knows of no removal yet: Open reads it.
func New(cfg Config) *Sweeper { return &Sweeper{cfg: cfg} }

// Open reads what an earlier daemon had begun to remove.
func (w *Sweeper) Open() error {
	r, err := Read(w.cfg.State)
	w.pending.Store(r)
	return err
}

// Pending is what is being removed, nil for nothing.
func (w *Sweeper) Pending() *Record { return w.pending.Load() }

// Finish does again what an earlier daemon had begun.
func (w *Sweeper) Finish(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.finishLocked(ctx); err != nil && ctx.Err() == nil {
		w.cfg.Log.Error("finish what was being removed", "error", err)
	}
}

func (w *Sweeper) finishLocked(ctx context.Context) error {
	r := w.pending.Load()
	if r == nil {
		return nil
	}
	p, err := w.planAgain(ctx, *r)
	if err != nil {
		return err
	}
	defer p.close()
	if err := w.remove(ctx, p); err != nil {
		return err
	}
	return w.conclude(ctx)
}
