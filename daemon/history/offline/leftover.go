package offline

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// leftovers are the runs in the files of an event store that no daemon has open,
// damaged or not.
type leftovers struct {
	streams, mark, stream string
	runs                  map[string]*leftover // by id
	holes                 []*filestore.DamagedError
}

// leftover is a run of which something is left.
type leftover struct {
	state  run.State
	tail   string // hash of its last event
	last   uint64 // position of that
	unread int    // events that are there and are none
}

// lookOver reads every event once, and keeps the states of the runs.
func lookOver(state string) (*leftovers, error) {
	l := &leftovers{streams: filestore.StreamsIn(state), mark: filestore.NamesIn(state).Mark, runs: map[string]*leftover{}}
	var err error
	if l.stream, err = filestore.Left(l.streams, l.mark); err != nil {
		return nil, err
	}
	l.holes, err = l.each(func(id string, rec filestore.Record) error {
		r := l.runs[id]
		if r == nil {
			r = &leftover{}
			l.runs[id] = r
		}
		r.last = rec.Position
		st, err := log.StoredAt(l.stream, rec.Position, rec.Subject, rec.Message)
		if err != nil {
			r.unread++
			return nil
		}
		r.state, r.tail = slim(snapshot.Follow(r.state, st, r.tail)), st.Hash
		return nil
	})
	return l, err
}

// slim is all of a state that is needed once a run is over.
func slim(s run.State) run.State {
	if s.Status != run.Over {
		return s
	}
	out := run.State{ID: s.ID, Status: s.Status, End: s.End, Log: s.Log}
	out.Facts.Handle = s.Facts.Handle
	return out
}

// each gives every stored event of a run, in stored order.
func (l *leftovers) each(take func(id string, r filestore.Record) error) ([]*filestore.DamagedError, error) {
	return filestore.Salvage(l.streams, l.mark, func(r filestore.Record) error {
		id, ok := strings.CutPrefix(r.Subject, events.Run("").Subject())
		if !ok {
			return nil
		}
		return take(id, r)
	})
}

// states are the runs that began, the oldest first.
func (l *leftovers) states() []run.State {
	var out []run.State
	for _, r := range l.runs {
		if r.state.ID != "" {
			out = append(out, r.state)
		}
	}
	slices.SortFunc(out, func(a, b run.State) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// headless are the runs whose first event is not there: what is left of them says
// nothing.
func (l *leftovers) headless() []string {
	var out []string
	for id, r := range l.runs {
		if r.state.ID == "" {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// broken is the first event of a run that is not there, 0 if all are.
func (r *leftover) broken() uint64 {
	if r.state.Log.Broken > 0 {
		return r.state.Log.Broken
	}
	if r.unread > 0 {
		return r.state.Log.Seq + 1
	}
	return 0
}

// gather reads every event once more and gives those of each wanted run together,
// once its last one was read: only what is at work at the same time is in memory.
func (l *leftovers) gather(wanted map[string]archive.Run, take func(r archive.Run, list []filestore.Record) error) error {
	open := map[string][]filestore.Record{}
	_, err := l.each(func(id string, rec filestore.Record) error {
		r, ok := wanted[id]
		if !ok {
			return nil
		}
		rec.Message = slices.Clone(rec.Message)
		open[id] = append(open[id], rec)
		if rec.Position < l.runs[id].last {
			return nil
		}
		list := open[id]
		delete(open, id)
		return take(r, list)
	})
	return err
}

// stored gives the events of a run as a log would.
func (l *leftovers) stored(list []filestore.Record) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for _, r := range list {
			if !yield(log.StoredAt(l.stream, r.Position, r.Subject, r.Message)) {
				return
			}
		}
	}
}
