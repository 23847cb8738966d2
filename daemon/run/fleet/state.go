package fleet

import (
	"cmp"
	"slices"
	"time"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/snapshot"
	"autopilot/projections/run"
)

// This file reads the states of runs that the fleet serves, or has stored.

// State is a run as it is now. That of a run that is over may have to be read.
func (f *Fleet) State(id string) (run.State, bool) {
	f.mu.Lock()
	m, ok := f.runs[id]
	_, imported := f.imported[id]
	var s *run.State
	var a *archive.Archive
	if ok {
		s = m.state
	}
	if imported || ok && m.archived {
		a = f.archive
	}
	f.mu.Unlock()
	switch {
	case a != nil:
		return f.archivedState(a, id)
	case s != nil || !ok:
		return deref(s), ok
	}
	return f.stored(id)
}

func (f *Fleet) archivedState(a *archive.Archive, id string) (run.State, bool) {
	s, err := a.State(id)
	if err != nil {
		f.cfg.Log.Warn("read an archived run", "run", id, "error", err)
	}
	return s, err == nil
}

func deref(s *run.State) run.State {
	if s == nil {
		return run.State{}
	}
	return *s
}

// stored reads the state of a run that is over: from the snapshot, else from the
// log.
func (f *Fleet) stored(id string) (run.State, bool) {
	var err error
	if snap := f.cfg.Kept.current.Load(); snap != nil {
		var s run.State
		if s, err = snap.State(id); err == nil {
			return s, true
		}
	}
	s, lerr := f.cfg.Journal.Load(f.ctx, id)
	if err != nil || lerr != nil {
		f.cfg.Log.Warn("read a finished run", "run", id, "snapshot", err, "log", lerr)
	}
	return s, lerr == nil && s.Status != run.None
}

// Full says that a run waits for room on the disk.
func (f *Fleet) Full(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.runs[id]
	return m != nil && m.actor != nil && m.actor.Full()
}

// Heads is every run, newest first, without its state.
func (f *Fleet) Heads() []snapshot.Head {
	f.mu.Lock()
	out := make([]snapshot.Head, 0, len(f.runs))
	for _, m := range f.runs {
		out = append(out, m.head)
	}
	f.mu.Unlock()
	return newestFirst(out)
}

func newestFirst(list []snapshot.Head) []snapshot.Head {
	slices.SortFunc(list, func(a, b snapshot.Head) int { return cmp.Compare(b.ID, a.ID) })
	return list
}

// States is every run of the log with its state, newest first. It reads all of
// them: only for who needs that.
func (f *Fleet) States() []run.State {
	heads := f.Heads()
	out := make([]run.State, 0, len(heads))
	for _, h := range heads {
		if f.IsArchived(h.ID) {
			continue
		}
		if s, ok := f.State(h.ID); ok {
			out = append(out, s)
		}
	}
	return out
}

// Count is how many runs there are.
func (f *Fleet) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.runs)
}

// Live counts the runs that are going on.
func (f *Fleet) Live() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, m := range f.open {
		if m.head.Status == run.Live {
			n++
		}
	}
	return n
}

// LiveStates are the runs that are going on. There may be a thousand of them, so
// they are no copies: the caller only reads them.
func (f *Fleet) LiveStates() []*run.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]*run.State, 0, len(f.open))
	for _, m := range f.open {
		if m.head.Status == run.Live && m.state != nil && m.actor != nil {
			out = append(out, m.state)
		}
	}
	return out
}

// NotOver are the states of the runs that are not over, which are only read.
func (f *Fleet) NotOver() []*run.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]*run.State, 0, len(f.open))
	for _, m := range f.open {
		if m.state != nil {
			out = append(out, m.state)
		}
	}
	return out
}

// Look shows the runs that are named, or all with nil, as they are at one moment.
// see is called with the lock held. The state may be nil of a run that is over,
// and is only read.
func (f *Fleet) Look(ids map[string]bool, see func(snapshot.Head, *run.State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ids == nil {
		for _, m := range f.runs {
			see(m.head, m.state)
		}
		return
	}
	for id := range ids {
		if m := f.runs[id]; m != nil {
			see(m.head, m.state)
		}
	}
}

// IsLive says that a run is going on.
func (f *Fleet) IsLive(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.runs[id]
	return m != nil && m.head.Status == run.Live
}

// LiveIn is the live run of a work tree.
func (f *Fleet) LiveIn(project, except string) (run.State, bool) {
	for _, s := range f.LiveStates() {
		if s.Facts.Project == project && s.ID != except {
			return *s, true
		}
	}
	return run.State{}, false
}

// Fulls are the runs that wait for room on the disk: where it is low, every
// live one. What an agent does there is not seen before there is room again, so
// its run does not even ask for some.
func (f *Fleet) Fulls(low bool) map[string]run.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]run.State{}
	for id, m := range f.open {
		live := m.actor != nil && m.state != nil && m.head.Status == run.Live
		if live && (low || m.actor.Full()) {
			out[id] = *m.state
		}
	}
	return out
}

// BusySince are the runs whose actor is within a decision, and since when.
func (f *Fleet) BusySince() map[string]time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]time.Time{}
	for id, m := range f.open {
		if m.actor == nil {
			continue
		}
		if since, busy := m.actor.Busy(); busy {
			out[id] = since
		}
	}
	return out
}
