package snapshot

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// ErrMismatch says that a log does not go on where a snapshot ends: the snapshot
// must be dropped.
var ErrMismatch = errors.New("the snapshot does not fit the log")

// Fold is a snapshot and what was stored since.
type Fold struct {
	base    *Snapshot // nil is before the first event
	entries map[string]*entry
	cursor  log.Cursor
	added   int
	spill   *spill
	// Damaged is told of each stored event that cannot be read. It may be nil.
	Damaged func(subject string, err error)
}

// entry is a run that has events behind the base.
type entry struct {
	state run.State
	hash  string // of its last event
	at    *place // in the spill, which has the state then
}

// head is what is known of the run.
func (e *entry) head(id string) Head {
	if e.at != nil {
		return e.at.Head
	}
	h := HeadOf(e.state, e.hash)
	h.ID = id
	return h
}

// NewFold begins behind a snapshot; nil begins at the first event.
func NewFold(base *Snapshot) *Fold {
	f := &Fold{base: base, entries: map[string]*entry{}}
	if base != nil {
		f.cursor = base.Cursor()
	}
	return f
}

// Cursor is the place in the log up to which the fold has come.
func (f *Fold) Cursor() log.Cursor { return f.cursor }

// Added is how many events were added to the base.
func (f *Fold) Added() int { return f.added }

// AddAll adds what a log has behind the cursor. A cursor that the log does not
// know is an ErrMismatch.
func (f *Fold) AddAll(stored iter.Seq2[log.Stored, error]) error {
	for st, err := range stored {
		if errors.Is(err, log.ErrCursorExpired) {
			return fmt.Errorf("%w: %w", ErrMismatch, err)
		}
		if err := f.Add(st, err); err != nil {
			return err
		}
	}
	return nil
}

// Add adds the next stored event, or what a reader got in its place. A damaged
// event breaks the log of its run; every other error is returned.
func (f *Fold) Add(st log.Stored, err error) error {
	f.added++
	if st.Cursor != "" {
		f.cursor = st.Cursor
	}
	switch {
	case errors.Is(err, log.ErrDamaged):
		if f.Damaged != nil {
			f.Damaged(st.Subject, err)
		}
		return f.foreign(st)
	case err != nil:
		return err
	case st.Event.Aggregate.Kind != events.KindRun:
		return nil
	}
	id := st.Event.Aggregate.ID
	first := f.entries[id] == nil && f.known(id)
	e, err := f.entry(id)
	if err != nil {
		return err
	}
	if first && (st.Event.Seq != e.state.Log.Seq+1 || st.Event.PrevHash != e.hash) {
		return fmt.Errorf("%w: event %d of run %s does not follow it", ErrMismatch, st.Event.Seq, id)
	}
	e.state, e.hash = Follow(e.state, st, e.hash), st.Hash
	if e.state.Status == run.Over && f.spill != nil {
		return f.put(id, e)
	}
	return nil
}

// Follow adds a stored event to the state of its run. tail is the hash of the
// event before: one that does not follow it breaks the log of the run.
func Follow(s run.State, st log.Stored, tail string) run.State {
	if st.Event.PrevHash != tail && s.Log.Broken == 0 {
		s.Log.Broken = st.Event.Seq
	}
	return run.Evolve(s, st.Event)
}

// foreign breaks the log of a run at a stored event that cannot be read or is not
// what was stored. It takes its place: what ends the run comes behind it.
func (f *Fold) foreign(st log.Stored) error {
	if err := f.Break(st.Subject); err != nil || st.Event.Seq == 0 || st.Event.Aggregate.Kind != events.KindRun {
		return err
	}
	e := f.entries[st.Event.Aggregate.ID]
	e.state.Log.Seq, e.hash = st.Event.Seq, st.Hash
	return nil
}

// Break remembers that an event under a subject is not what was stored: the log
// of its run is not whole from there on.
func (f *Fold) Break(subject string) error {
	id, ok := strings.CutPrefix(subject, events.Run("").Subject())
	if !ok {
		return nil // of another aggregate, or a hole in the log
	}
	e, err := f.entry(id)
	if err != nil {
		return err
	}
	if e.state.Log.Broken == 0 {
		e.state.Log.Broken = e.state.Log.Seq + 1
	}
	return nil
}

func (f *Fold) known(id string) bool {
	if f.base == nil {
		return false
	}
	_, ok := f.base.Head(id)
	return ok
}

// entry is a run with its state in memory, first as the base has it.
func (f *Fold) entry(id string) (*entry, error) {
	e := f.entries[id]
	var err error
	switch {
	case e != nil && e.at != nil:
		e.state, err = e.at.state(f.spill.file)
		e.at = nil
	case e != nil:
	case f.known(id):
		h, _ := f.base.Head(id)
		e = &entry{hash: h.Hash}
		e.state, err = f.base.State(id)
	default:
		e = &entry{}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	f.entries[id] = e
	return e, nil
}

// Heads lists all runs, in the order of their ids.
func (f *Fold) Heads() []Head {
	var out []Head
	if f.base != nil {
		for _, h := range f.base.Heads() {
			if f.entries[h.ID] == nil {
				out = append(out, h)
			}
		}
	}
	for id, e := range f.entries {
		if h := e.head(id); h.Status != run.None {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b Head) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// InMemory are the states that differ from the base and were not put away, in
// the order of their ids.
func (f *Fold) InMemory() iter.Seq2[string, run.State] {
	return func(yield func(string, run.State) bool) {
		for _, id := range slices.Sorted(maps.Keys(f.entries)) {
			e := f.entries[id]
			if e.at == nil && e.state.Status != run.None && !yield(id, e.state) {
				return
			}
		}
	}
}

// State is a run as it is now.
func (f *Fold) State(id string) (run.State, error) {
	if e := f.entries[id]; e != nil && e.at != nil {
		return e.at.state(f.spill.file)
	} else if e != nil {
		return e.state, nil
	}
	if f.base == nil {
		return run.State{}, fmt.Errorf("run %s is not in the fold", id)
	}
	return f.base.State(id)
}
