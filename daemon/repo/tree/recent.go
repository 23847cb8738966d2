package tree

import (
	"cmp"
	"slices"
	"sync"
)

// recent remembers the answers to what was asked last: trees are named by their
// content, and the steps of an iteration ask the same of them. The zero value is ready.
type recent[K comparable, V any] struct {
	mu   sync.Mutex
	keys []K // the latest first
	most int // how many are kept; 0 is mostRecent
	of   map[K]V
}

// mostRecent is how many answers are kept.
const mostRecent = 16

func (r *recent[K, V]) get(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.of[k]
	if i := slices.Index(r.keys, k); i > 0 {
		r.keys = slices.Insert(slices.Delete(r.keys, i, i+1), 0, k)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[K]V{}
	}
	if _, known := r.of[k]; !known {
		r.keys = slices.Insert(r.keys, 0, k)
	}
	r.of[k] = v
	if most := cmp.Or(r.most, mostRecent); len(r.keys) > most {
		delete(r.of, r.keys[most])
		r.keys = r.keys[:most]
	}
}

// latest is the answer that was asked for or given last; the zero value if there is none.
func (r *recent[K, V]) latest() (v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) > 0 {
		v = r.of[r.keys[0]]
	}
	return v
}
