package bus

import "sync"

// maxRefusals bounds for how many effects refused requests are counted.
const maxRefusals = 4096

// refusals counts, by effect, the requests that were refused for what it is.
type refusals struct {
	mu sync.Mutex
	n  map[string]int
}

func (r *refusals) add(effect string) {
	if effect == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil || len(r.n) >= maxRefusals {
		r.n = map[string]int{} // of effects that ended long ago, as so many do not live
	}
	r.n[effect]++
}

// Refused is how many requests of an effect were refused because effects may
// not make them. It is a count of this daemon: an earlier one may have refused
// more.
func (b *Bus) Refused(effect string) int {
	b.refused.mu.Lock()
	defer b.refused.mu.Unlock()
	return b.refused.n[effect]
}
