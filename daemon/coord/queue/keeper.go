package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	folded "autopilot/projections/queue"
	"autopilot/projections/run"
)

// Config is what a Keeper works with. All fields are needed.
type Config struct {
	Journal *journal.Journal
	Runs    Runs
	Work    Work
	Dir     string // of what is kept beside the log, for the caller's environment
	Actor   string // of the daemon
	Now     func() time.Time
	Log     *slog.Logger
}

// Runs are those that this daemon knows.
type Runs interface {
	State(id string) (run.State, bool)
	Wait() <-chan struct{} // closed at the next change of any run
}

// Work begins runs for items, and lands them. Cause names the try: the same one again
// finds the run that it has begun.
type Work interface {
	Begin(ctx context.Context, q Queue, i folded.Item, cause string) (run string, err error)
	Land(ctx context.Context, q Queue, items []folded.Item, cause string) (run string, err error)
	// Landed is what became of a landing whose run is over or halted.
	Landed(ctx context.Context, q Queue, s run.State) (events.LandingEnded, error)
	// Settled hears that an item is finished, and does not fail.
	Settled(ctx context.Context, q Queue, i folded.Item)
	// Come are items that the queue's source has, and the queue has not, and blockers that
	// are not known yet. watches says that more may come.
	Come(ctx context.Context, q Queue) (news News, watches bool, err error)
}

// News are what a queue's source has.
type News struct {
	Items []events.QueueItem
	Found []events.BlockerFound
}

// Queue is a queue and its state.
type Queue struct {
	ID string
	folded.State
}

// RefusedError says that a run cannot begin for an item, or that a landing cannot, whatever
// is tried: Detail says why.
type RefusedError struct {
	End    events.LandingEnd // of a landing
	Items  []events.Name     // of it, that are to blame; empty for all
	Detail events.Ref
}

func (e *RefusedError) Error() string { return "refused" }

// ErrTrust says that a person has to trust the project's configuration, or the landing,
// first.
var ErrTrust = errors.New("a person has to agree first")

// Keeper has the queues of a daemon.
type Keeper struct {
	cfg  Config
	wake chan struct{}
	wg   sync.WaitGroup

	mu    sync.Mutex
	books map[string]*book
}

// book is one queue.
type book struct {
	id     string
	record *journal.Aggregate[folded.State]

	mu       sync.Mutex
	starting map[events.Name]bool // a run is about to begin
	landing  bool                 // a landing is about to begin
	tries    map[events.Name]try  // runs that could not begin yet; the landing has an empty name
	source   time.Time            // the latest look at the source
	watches  bool
}

// try is a run that could not begin, and is tried again.
type try struct {
	Why   string
	Next  time.Time
	pause time.Duration
}

// The pauses between tries.
const (
	firstPause = 5 * time.Second
	mostPause  = 2 * time.Minute
)

// New knows of no queue yet: Index finds those of the log.
func New(c Config) *Keeper {
	return &Keeper{cfg: c, wake: make(chan struct{}, 1), books: map[string]*book{}}
}

// Index finds the queues that the log has.
func (k *Keeper) Index(ctx context.Context) error {
	ids := map[string]bool{}
	for stored, err := range k.cfg.Journal.Log.ReadKind(ctx, events.KindQueue) {
		if errors.Is(err, log.ErrDamaged) {
			continue // the queue says so when it is opened
		}
		if err != nil {
			return fmt.Errorf("read the events of the queues: %w", err)
		}
		ids[stored.Event.Aggregate.ID] = true
	}
	for id := range ids {
		if _, err := k.open(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keeper) open(ctx context.Context, id string) (*book, error) {
	record, err := journal.Open(ctx, k.cfg.Journal, events.Queue(id), journal.Fold[folded.State]{
		Evolve: folded.Evolve, Log: func(s *folded.State) *chain.Log { return &s.Log },
	}, k.cfg.Log)
	if err != nil {
		return nil, err
	}
	b := &book{id: id, record: record, starting: map[events.Name]bool{}, tries: map[events.Name]try{}}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.books[id] = b
	return b, nil
}

func (k *Keeper) book(id string) *book {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.books[id]
}

// List are all queues, the newest first.
func (k *Keeper) List() []Queue {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]Queue, 0, len(k.books))
	for id, b := range k.books {
		out = append(out, Queue{id, b.record.State()})
	}
	slices.SortFunc(out, func(a, b Queue) int { return cmp.Compare(b.ID, a.ID) })
	return out
}

// States are those of all queues, by id.
func (k *Keeper) States() map[string]folded.State {
	out := map[string]folded.State{}
	for _, q := range k.List() {
		out[q.ID] = q.State
	}
	return out
}

// Busy reports whether a queue is worked off, so that the daemon is needed without a run.
func (k *Keeper) Busy() bool {
	for _, q := range k.List() {
		if q.Open != nil || q.Lane.Run != "" {
			return true
		}
	}
	return false
}

// Get is a queue by its id.
func (k *Keeper) Get(id string) (Queue, bool) {
	b := k.book(id)
	if b == nil {
		return Queue{}, false
	}
	return Queue{id, b.record.State()}, true
}

// Tries are the runs of a queue that could not begin yet, by item; that of a landing has no
// name.
func (k *Keeper) Tries(id string) map[events.Name]string {
	b, out := k.book(id), map[events.Name]string{}
	if b == nil {
		return out
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, t := range b.tries {
		out[name] = t.Why
	}
	return out
}

// Create stores a new queue. Its name is taken when another queue of the project has it.
func (k *Keeper) Create(ctx context.Context, d events.QueueCreated, actor, cause string) (Queue, error) {
	for _, q := range k.List() {
		if q.Project == d.Project && q.Name == d.Name {
			return q, folded.ErrTaken
		}
	}
	b, err := k.open(ctx, journal.NewID(k.cfg.Now()))
	if err != nil {
		return Queue{}, err
	}
	if _, err := b.record.Append(ctx, d, actor, cause); err != nil {
		return Queue{}, err
	}
	return Queue{b.id, b.record.State()}, nil
}

// Decide stores what follows from the state of a queue, and has it looked at.
func (k *Keeper) Decide(ctx context.Context, id string, f func(folded.State) (events.Data, error), actor, cause string) (Queue, error) {
	b := k.book(id)
	if b == nil {
		return Queue{}, folded.ErrNoItem
	}
	_, err := b.record.Decide(ctx, f, actor, cause)
	b.mu.Lock()
	clear(b.tries)
	b.mu.Unlock()
	k.Wake()
	return Queue{id, b.record.State()}, err
}

// Wake has the queues looked at soon. It does not block.
func (k *Keeper) Wake() {
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// Close waits for runs that are about to begin. Run has ended.
func (k *Keeper) Close() { k.wg.Wait() }
