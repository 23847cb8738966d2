package work

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

// readings caches reads of recorded trees for all gates of one judgement: each read is a
// git process. Goroutines may share it.
type readings struct {
	repo    *tree.Repo
	lists   memo[events.Tree, []tree.Entry]
	spans   memo[span, []tree.Change]
	content memo[[sha256.Size]byte, [][]byte]
}

// span is a pair of trees.
type span struct{ from, to events.Tree }

// list lists the files of a tree.
func (r *readings) list(ctx context.Context, t events.Tree) ([]tree.Entry, error) {
	return r.lists.get(t, func() ([]tree.Entry, error) { return r.repo.Entries(ctx, t) })
}

// changes lists what differs between two trees, by path.
func (r *readings) changes(ctx context.Context, from, to events.Tree) ([]tree.Change, error) {
	return r.spans.get(span{from, to}, func() ([]tree.Change, error) { return r.repo.Changes(ctx, from, to) })
}

// contents reads the texts of files, in order.
func (r *readings) contents(ctx context.Context, set []tree.Entry) ([][]byte, error) {
	var ids strings.Builder
	for _, e := range set {
		ids.WriteString(e.ID + "\n")
	}
	return r.content.get(sha256.Sum256([]byte(ids.String())), func() ([][]byte, error) { return r.repo.Texts(ctx, set) })
}

// memo makes each value once, for the first caller. It keeps an error like a value.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]func() (V, error)
}

func (m *memo[K, V]) get(key K, read func() (V, error)) (V, error) {
	m.mu.Lock()
	known, ok := m.made[key]
	if !ok {
		known = sync.OnceValues(read)
		if m.made == nil {
			m.made = map[K]func() (V, error){}
		}
		m.made[key] = known
	}
	m.mu.Unlock()
	return known()
}

// readAhead reads, while commands run, what the other gates will need of the recorded
// tree: a git process takes longer than their own work. If the commands change the tree,
// the reads were in vain. The returned function waits for the end. A failure here repeats
// for the gate that reads.
func (g *judgement) readAhead(ctx context.Context) (wait func()) {
	var all sync.WaitGroup
	for _, a := range g.list {
		if !a.runs() {
			all.Go(func() { g.readFor(ctx, a) })
		}
	}
	return all.Wait
}

// readFor reads what one gate will need.
func (g *judgement) readFor(ctx context.Context, a asked) {
	now := g.s.Last.Tree
	if reads := judges[a.Kind].reads; reads != nil {
		reads(g, ctx, a, now)
	}
	if len(a.decl.Of) > 0 {
		_, _ = g.reads.list(ctx, now)
	}
}
