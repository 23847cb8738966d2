package log

import (
	"sync"

	"autopilot/events"
)

// maxTails bounds the memory for tails: about 300 bytes each.
const maxTails = 1 << 14

// tail is where an aggregate ends: the position of its last event in the
// stream, and that event's sequence and hash. All zero before the first.
type tail struct {
	position uint64
	seq      uint64
	hash     string
}

// tails remembers where aggregates end, from appends and reads. An entry may
// be behind the stream, never ahead of it.
type tails struct {
	mu sync.Mutex
	m  map[events.Aggregate]tail
}

func newTails() *tails { return &tails{m: map[events.Aggregate]tail{}} }

func (t *tails) get(a events.Aggregate) (tail, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.m[a]
	return v, ok
}

// put keeps the newer of two tails: a slow reader must not undo an append.
func (t *tails) put(a events.Aggregate, v tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, ok := t.m[a]
	if ok && old.position >= v.position {
		return
	}
	if !ok && len(t.m) >= maxTails {
		for k := range t.m { // any one: it costs its owner one look-up
			delete(t.m, k)
			break
		}
	}
	t.m[a] = v
}

func (t *tails) drop(a events.Aggregate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, a)
}
