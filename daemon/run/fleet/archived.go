package fleet

import (
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/snapshot"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// A run is in the log or in the archive, and whoever reads it need not know
// where. What was rolled out of this log is a run as any other that is over. What
// was imported is for looking back only: it is listed apart, and no command
// changes it.

// AddArchived adds the runs of the archive that the log does not have.
func (f *Fleet) AddArchived(a *archive.Archive) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.archive = a
	for _, h := range a.Heads() {
		h.Hash = ""
		if m := f.runs[h.ID]; m != nil && !m.archived {
			continue
		}
		if !h.Imported {
			f.putLocked(&member{head: h.Head, archived: true})
			delete(f.imported, h.ID)
		} else if f.runs[h.ID] == nil {
			f.imported[h.ID] = h.Head
		}
		if len(f.handles) > 0 {
			f.handles[h.Handle] = true
		}
	}
	f.hears.Touched("")
}

// IsArchived says that a run is in the archive, and not in the log.
func (f *Fleet) IsArchived(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.runs[id]
	_, imported := f.imported[id]
	return imported || m != nil && m.archived
}

// IsImported says that a run came from elsewhere.
func (f *Fleet) IsImported(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.imported[id]
	return ok
}

// Changeable refuses a change of a run that came from elsewhere.
func (f *Fleet) Changeable(s run.State) error {
	if !f.IsImported(s.ID) {
		return nil
	}
	return wire.Errorf(wire.Conflict, "run %s was imported, and cannot be changed here", s.Facts.Handle).
		WithHint("apctl why %s   shows how it ended", s.Facts.Handle)
}

// importedHeads is every run that came from elsewhere, newest first, without its
// state.
func (f *Fleet) importedHeads() []snapshot.Head {
	f.mu.Lock()
	out := make([]snapshot.Head, 0, len(f.imported))
	for _, h := range f.imported {
		out = append(out, h)
	}
	f.mu.Unlock()
	return newestFirst(out)
}

// AllHeads is every run, and behind them those that came from elsewhere.
func (f *Fleet) AllHeads() []snapshot.Head { return append(f.Heads(), f.importedHeads()...) }
