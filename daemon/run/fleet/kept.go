package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// A snapshot is written when so many events are not in it, or when it is so old
// and not the newest; never more often than every keepLeast. A daemon that
// starts writes one when it had to read more than keepTail.
const (
	keepEvents = 2000
	keepAfter  = 10 * time.Minute
	keepLeast  = 30 * time.Second
	keepTail   = 256
)

// Kept is the fold of all runs that the fleet begins with, and its snapshot. All
// but current belongs to one goroutine at a time: the one that loads the fleet,
// then its keeper, then the one that closes it.
type Kept struct {
	path string // empty keeps nothing
	log  log.Log
	out  *slog.Logger
	fold *snapshot.Fold
	room func() bool // says whether the disk has room for another one

	seals   *filestore.Seals // nil in a store that has none
	reached func(log.Cursor) // may be nil

	current atomic.Pointer[snapshot.Snapshot] // nil without one
}

// KeptConfig is where states are kept.
type KeptConfig struct {
	Path    string // of the snapshot
	Streams string // directory of the event store
	Seals   *filestore.Seals
	Log     *slog.Logger
	Reached func(log.Cursor) // is told when all that is stored was read, and up to where
}

// OpenKept opens the snapshot of a state directory. Where there is none that can
// be believed it folds the files of the event store, before a server has them.
// proven tells what is missing of the store.
func OpenKept(cfg KeptConfig) (k *Kept, proven error) {
	k = &Kept{path: cfg.Path, out: cfg.Log, room: func() bool { return true }, seals: cfg.Seals, reached: cfg.Reached}
	s, err := snapshot.Open(cfg.Path)
	if err == nil {
		k.begin(s)
		return k, k.proveOpen(cfg.Streams)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		cfg.Log.Warn("open the snapshot", "error", err)
	}
	k.begin(nil)
	if cfg.Seals == nil {
		return k, nil
	}
	return k, k.fold.AddSealed(cfg.Streams, cfg.Seals)
}

// serve names the log that the fold follows, and the disk that has to have room.
func (k *Kept) serve(j *journal.Journal) {
	k.log = j.Log
	if j.Disk.Dir != "" {
		k.room = j.Disk.Plenty
	}
}

// Cursor is up to where the log was folded. It is asked for by who owns the Kept then.
func (k *Kept) Cursor() log.Cursor { return k.fold.Cursor() }

// proveOpen proves the events of the runs that are not over, which go on from the
// snapshot: one that was changed breaks the log of its run. Of the others nothing
// is begun.
func (k *Kept) proveOpen(streams string) error {
	if k.seals == nil {
		return nil
	}
	open := map[string]bool{}
	for _, h := range k.fold.Heads() {
		if h.Status != run.Over {
			open[events.Run(h.ID).Subject()] = true
		}
	}
	var wants func([]byte) bool
	if len(open) > 0 {
		wants = func(subject []byte) bool { return open[string(subject)] }
	}
	var broken error
	err := k.seals.CheckSealed(streams, wants, func(subject string, why error) {
		k.fold.Damaged(subject, why)
		broken = errors.Join(broken, k.fold.Break(subject))
	})
	if err == nil && broken != nil {
		k.out.Warn("read a state of the snapshot", "error", broken)
		k.begin(nil) // and read all of the log
	}
	return err
}

// begin begins a fold behind a snapshot, nil for none.
func (k *Kept) begin(s *snapshot.Snapshot) {
	if k.fold != nil {
		_ = k.fold.Close() // of a file without a name
	}
	// The one before is closed when its last reader has let go of it.
	k.current.Store(s)
	k.fold = snapshot.NewFold(s)
	if s == nil && k.path != "" {
		if err := k.fold.SpillTo(filepath.Dir(k.path)); err != nil {
			k.out.Warn("fold the event log", "error", err) // in memory, then
		}
	}
	k.fold.Damaged = func(subject string, err error) {
		k.out.Error("read a stored event", "subject", subject, "error", err)
	}
}

// catchUp adds what the log has behind the fold. A snapshot that does not fit
// the log is dropped, and all of the log is read.
func (k *Kept) catchUp(ctx context.Context) error {
	err := k.fold.AddAll(k.log.ReadAll(ctx, k.fold.Cursor()))
	if errors.Is(err, snapshot.ErrMismatch) {
		err = k.anew(ctx, err)
	}
	if err == nil && k.seals != nil {
		err = k.seals.InPlace()
	}
	if err == nil && k.reached != nil {
		k.reached(k.Cursor())
	}
	return err
}

// anew folds all of the log.
func (k *Kept) anew(ctx context.Context, why error) error {
	k.out.Warn("read the whole event log", "reason", why)
	k.begin(nil)
	return k.fold.AddAll(k.log.ReadAll(ctx, ""))
}

// due says that a daemon which has loaded its runs shall write a snapshot: the
// next one would have to read much.
func (k *Kept) due() bool {
	return k.path != "" && (k.current.Load() == nil && k.fold.Added() > 0 || k.fold.Added() >= keepTail)
}

// save writes a snapshot of what is stored by now, if anything was since the
// last one. wrote says that there is a new one.
func (k *Kept) save(ctx context.Context) (wrote bool, err error) {
	if k.path == "" || !k.room() {
		return false, nil
	}
	if err := k.catchUp(ctx); err != nil {
		return false, fmt.Errorf("fold for a snapshot: %w", err)
	}
	if k.fold.Added() == 0 {
		return false, nil
	}
	if err := k.fold.Write(k.path); err != nil {
		return false, err
	}
	s, err := snapshot.Open(k.path)
	if err != nil {
		return false, err
	}
	k.begin(s)
	return true, nil
}

// KeepStates writes snapshots now and then, until ctx ends.
func (f *Fleet) KeepStates(ctx context.Context) {
	if f.cfg.Kept.due() {
		f.SaveStates(ctx)
		debug.FreeOSMemory() // what it took to read so much
	}
	for {
		if !f.awaitEvents(ctx) {
			return
		}
		f.SaveStates(ctx)
		select {
		case <-time.After(keepLeast):
		case <-ctx.Done():
			return
		}
	}
}

// awaitEvents waits until there is enough for a snapshot; false when ctx has
// ended. While nothing happens it sleeps.
func (f *Fleet) awaitEvents(ctx context.Context) bool {
	var old <-chan time.Time
	for {
		changed, n := f.fresh()
		if n >= keepEvents {
			return true
		}
		if n > 0 && old == nil {
			old = time.After(keepAfter)
		}
		select {
		case <-changed:
		case <-old:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// SaveStates writes a snapshot and lets go of states that can be read from it.
// Without one the next daemon reads the log: no reason to stop for.
func (f *Fleet) SaveStates(ctx context.Context) {
	f.mu.Lock()
	f.events = 0
	f.mu.Unlock()
	wrote, err := f.cfg.Kept.save(ctx)
	if err != nil && ctx.Err() == nil {
		f.cfg.Log.Warn("keep the states of runs", "error", err)
	}
	if wrote {
		f.release(f.cfg.Kept.current.Load())
	}
}
