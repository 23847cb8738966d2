package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Archive is an open directory of bundles.
type Archive struct {
	dir   string
	log   *slog.Logger
	shelf shelf

	adding sync.Mutex // one at a time

	mu    sync.Mutex
	held  []*held // the oldest first
	runs  map[string]at
	order []string // ids of runs, in their order
}

// held is a bundle of the directory.
type held struct {
	File
	states *snapshot.Snapshot // nil if there are none
}

// at is where a run is read.
type at struct {
	held *held
	head snapshot.Head
}

// Head is what is known of an archived run without its state.
type Head struct {
	snapshot.Head
	Bundle   events.Digest
	Imported bool
}

// DirIn is the archive of a state directory.
func DirIn(state string) string { return filepath.Join(state, "archive") }

// OpenArchive opens a directory, and makes it if it is not there. What is wrong
// with a bundle is its Problem and no error; states that had to be made anew are
// told to the log. Only one process may have a directory open.
func OpenArchive(dir string, l *slog.Logger) (*Archive, error) {
	a := &Archive{dir: dir, log: l, runs: map[string]at{}}
	files, err := a.find()
	if err != nil {
		return nil, fmt.Errorf("open archive %s: %w", dir, err)
	}
	for _, f := range files {
		a.insert(a.load(f))
	}
	return a, nil
}

// find lists the bundles of the directory, and removes what a process that died
// left behind.
func (a *Archive) find() ([]File, error) {
	switch err := os.Mkdir(a.dir, 0o700); {
	case err == nil:
		return nil, durable.SyncDir(filepath.Dir(a.dir))
	case !errors.Is(err, os.ErrExist):
		return nil, err
	}
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return nil, err
	}
	var files []File
	states := map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(a.dir, e.Name())
		f, ok := fileOf(path)
		switch {
		case ok && e.Type().IsRegular():
			files = append(files, f)
		case filepath.Ext(path) == statesExt:
			states[path] = true
		case leftover(e.Name()):
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range files {
		delete(states, f.states())
	}
	for path := range states { // of a bundle that did not come in
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// insert adds a bundle and its runs.
func (a *Archive) insert(h *held) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = append(a.held, h)
	if h.states == nil {
		return
	}
	for _, head := range h.states.Heads() {
		old, ok := a.runs[head.ID]
		if now := (at{h, head}); !ok || now.before(old) {
			a.runs[head.ID] = now
		}
	}
	a.order = slices.Sorted(maps.Keys(a.runs))
}

// before says that a run is rather read there than at another place, where it
// was found earlier.
func (p at) before(other at) bool {
	if p.held.Imported != other.held.Imported {
		return other.held.Imported
	}
	return p.head.Seq > other.head.Seq
}

// Close lets go of all files.
func (a *Archive) Close() error {
	err := a.shelf.close()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.held {
		if h.states != nil {
			err = errors.Join(err, h.states.Close())
		}
	}
	return err
}

// Bundles lists the bundles, the oldest first.
func (a *Archive) Bundles() []File {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]File, 0, len(a.held))
	for _, h := range a.held {
		out = append(out, h.File)
	}
	return out
}

// Heads lists the runs, in the order of their ids. Of a run that is in several
// bundles it is that of the one that is read: own history before imported, then
// the one with more events, then the older bundle. A run whose events this version
// cannot fold is over, and as its manifest says.
func (a *Archive) Heads() []Head {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]Head, 0, len(a.order))
	for _, id := range a.order {
		out = append(out, a.runs[id].public())
	}
	return out
}

func (p at) public() Head { return Head{p.head, p.held.SHA256, p.held.Imported} }

// Head is the head of a run.
func (a *Archive) Head(id string) (Head, bool) {
	p, err := a.at(id)
	if err != nil {
		return Head{}, false
	}
	return p.public(), true
}

func (a *Archive) at(id string) (at, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.runs[id]
	if !ok {
		return p, fmt.Errorf("read run %.80q: %w", id, ErrNoRun)
	}
	return p, nil
}

// State is the state of a run; ErrNoRun.
func (a *Archive) State(id string) (run.State, error) {
	p, err := a.at(id)
	if err != nil {
		return run.State{}, err
	}
	s, err := p.held.states.State(id)
	if err == nil {
		return s, nil
	}
	a.log.Warn("read an archived state", "run", id, "error", err) // the bundle has it too
	b, done, err := a.shelf.take(p.held.Path)
	if err != nil {
		return run.State{}, err
	}
	defer done()
	r, ok := b.Run(id)
	if !ok {
		return run.State{}, fmt.Errorf("read run %s: %w", id, ErrNoRun)
	}
	f, err := b.fold(context.Background(), r)
	return f.State, err
}

// Events are those of a run, as Bundle.Events gives them.
func (a *Archive) Events(id string, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		p, err := a.at(id)
		if err != nil {
			yield(log.Stored{}, err)
			return
		}
		b, done, err := a.shelf.take(p.held.Path)
		if err != nil {
			yield(log.Stored{}, err)
			return
		}
		defer done()
		b.Events(id, after)(yield)
	}
}
