package log

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"autopilot/events"
)

// Memory is the log without a server, for tests and simulation. It starts no
// goroutine and reads no clock, so it may be used inside a testing/synctest
// bubble, by code of that bubble only. A restart of the daemon is the same
// Memory used again.
type Memory struct {
	cfg  MemoryConfig
	told *witnessed

	mu      sync.Mutex
	kept    []Stored                   // position p is kept[p-1]
	byAgg   map[events.Aggregate][]int // indices into kept, in order
	bytes   int64
	changed chan struct{} // closed and replaced with every event
}

// MemoryConfig says how full a Memory may get and what goes wrong with it.
type MemoryConfig struct {
	Quota   int64 // 0 is no limit
	Reserve int64
	Faults  Faults // nil is none
	Witness Witness
}

// NewMemory makes an empty log.
func NewMemory(cfg MemoryConfig) *Memory {
	return &Memory{cfg: cfg, told: newWitnessed(cfg.Witness, StreamName(memoryGeneration)), byAgg: map[events.Aggregate][]int{}, changed: make(chan struct{})}
}

// memoryGeneration is the only generation of a Memory.
const memoryGeneration = 1

// Append stores one event. See Log.
func (m *Memory) Append(ctx context.Context, e events.Event, c Class) (Stored, error) {
	st, err := encoded(e)
	if err != nil {
		return Stored{}, fmt.Errorf("append: %w", err)
	}
	m.told.appending(st)
	kept, err := m.write(ctx, st, c)
	if err != nil {
		m.told.failed(st, err)
		return Stored{}, fmt.Errorf("append %s to %s: %w", e.Data.EventType(), e.Aggregate, err)
	}
	m.told.stored(kept)
	return kept, nil
}

func (m *Memory) write(ctx context.Context, st Stored, c Class) (Stored, error) {
	for attempt := 1; attempt <= maxAttempts; attempt++ {
		fault := FaultNone
		if m.cfg.Faults != nil {
			fault = m.cfg.Faults(st.Event, attempt)
		}
		if err := ctx.Err(); err != nil {
			return Stored{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		switch fault {
		case FaultLoseRequest:
			// The log looks for the event, and sees who else is in its place.
			if kept, found, err := m.find(st); found || err != nil {
				return kept, err
			}
			continue
		case FaultConflict:
			return Stored{}, ErrConflict
		case FaultUnavailable:
			return Stored{}, ErrUnavailable
		case FaultNone, FaultLoseReply, FaultUnavailableStored:
		}
		kept, err := m.store(st, c)
		if err == nil && fault == FaultUnavailableStored {
			return Stored{}, ErrUnavailable
		}
		return kept, err
	}
	return Stored{}, fmt.Errorf("%w: no answer to %d attempts", ErrUnavailable, maxAttempts)
}

func (m *Memory) store(st Stored, c Class) (Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	position, kept, found, err := m.findLocked(st)
	if found || err != nil {
		return kept, err
	}
	size := storedSize(st.Subject, position, len(st.Bytes))
	if m.cfg.Quota > 0 && m.bytes+size > m.limit(c) {
		return Stored{}, ErrFull
	}
	m.bytes += size
	m.byAgg[st.Event.Aggregate] = append(m.byAgg[st.Event.Aggregate], len(m.kept))
	st.Position = uint64(len(m.kept)) + 1
	st.Cursor = place{memoryGeneration, st.Position, st.Hash}.cursor()
	m.kept = append(m.kept, st)
	close(m.changed)
	m.changed = make(chan struct{})
	return st, nil
}

func (m *Memory) find(st Stored) (Stored, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, kept, found, err := m.findLocked(st)
	return kept, found, err
}

// findLocked answers the event itself if it is the last of its aggregate, else
// the position that it would be stored on top of, or ErrConflict.
func (m *Memory) findLocked(st Stored) (position uint64, kept Stored, found bool, err error) {
	var last Stored
	if at := m.byAgg[st.Event.Aggregate]; len(at) > 0 {
		i := at[len(at)-1]
		last, position = m.kept[i], uint64(i)+1
	}
	switch {
	case last.Hash == st.Hash:
		return position, last, true, nil
	case !follows(st.Event, last.Event.Seq, last.Hash):
		return 0, Stored{}, false, ErrConflict
	}
	return position, Stored{}, false, nil
}

func (m *Memory) limit(c Class) int64 {
	if c == Closing {
		return m.cfg.Quota
	}
	return m.cfg.Quota - m.cfg.Reserve
}

// Read yields one aggregate's events. See Log.
func (m *Memory) Read(ctx context.Context, agg events.Aggregate, after uint64) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for _, st := range m.of(agg) {
			if err := ctx.Err(); err != nil {
				yield(Stored{}, fmt.Errorf("read %s: %w: %w", agg, ErrUnavailable, err))
				return
			}
			if st.Event.Seq > after && !yield(m.fresh(st)) {
				return
			}
		}
	}
}

// ReadKind yields the events of a kind of aggregate. See Log.
func (m *Memory) ReadKind(ctx context.Context, k events.Kind) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for st, err := range m.ReadAll(ctx, "") {
			if err == nil && st.Event.Aggregate.Kind != k {
				continue
			}
			if !yield(st, err) {
				return
			}
		}
	}
}

// fresh is a stored event as a reader of bytes gets it: nothing in it is
// shared with the writer, and retired types are those of today.
func (m *Memory) fresh(st Stored) (Stored, error) {
	e, err := events.Decode(st.Bytes)
	if err != nil {
		return st, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := m.told.prove(st); err != nil {
		st.Event = placeOf(e)
		return st, err
	}
	st.Event, st.Bytes = e, slices.Clone(st.Bytes)
	return st, nil
}

func (m *Memory) of(agg events.Aggregate) []Stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.byAgg[agg]
	out := make([]Stored, len(at))
	for i, k := range at {
		out[i] = m.kept[k]
	}
	return out
}

// ReadAll yields every aggregate's events. See Log.
func (m *Memory) ReadAll(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return m.readFrom(ctx, from, false)
}

// Follow yields every aggregate's events as they are stored. See Log.
func (m *Memory) Follow(ctx context.Context, from Cursor) iter.Seq2[Stored, error] {
	return m.readFrom(ctx, from, true)
}

func (m *Memory) readFrom(ctx context.Context, from Cursor, follow bool) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		position, err := resolve(from, memoryGeneration, m.hashAt)
		if err != nil {
			yield(Stored{}, fmt.Errorf("read events: %w", err))
			return
		}
		for {
			more, changed := m.behind(position)
			for _, st := range more {
				if ctx.Err() != nil {
					break
				}
				position++
				if !yield(m.fresh(st)) {
					return
				}
			}
			switch {
			case ctx.Err() != nil && follow:
				return
			case ctx.Err() != nil:
				yield(Stored{}, fmt.Errorf("read events: %w: %w", ErrUnavailable, ctx.Err()))
				return
			case !follow:
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (m *Memory) hashAt(position uint64) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if position > uint64(len(m.kept)) {
		return "", false, nil
	}
	return m.kept[position-1].Hash, true, nil
}

// behind is what is stored behind a position now, and a channel that is closed
// with the next event.
func (m *Memory) behind(position uint64) ([]Stored, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[position:len(m.kept):len(m.kept)], m.changed
}

// Usage says how full the log is.
func (m *Memory) Usage(ctx context.Context) (Usage, error) {
	if err := ctx.Err(); err != nil {
		return Usage{}, fmt.Errorf("read usage: %w: %w", ErrUnavailable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return Usage{Bytes: m.bytes, Quota: m.cfg.Quota, Reserve: m.cfg.Reserve, Events: uint64(len(m.kept))}, nil
}
