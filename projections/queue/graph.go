package queue

import (
	"slices"

	"autopilot/events"
)

// graph is how the items of a queue depend on each other.
type graph struct {
	at    map[events.Name]int // index of an item by its name
	after [][]int             // by item: the indices of what it waits for; outside for what is no item
}

// outside stands for a blocker that is no item.
const outside = -1

func graphOf(items []Item) graph {
	g := graph{make(map[events.Name]int, len(items)), make([][]int, len(items))}
	for i := range items {
		g.at[items[i].Name] = i
	}
	for i := range items {
		for _, name := range items[i].After {
			to, ok := g.at[name]
			if !ok {
				to = outside
			}
			g.after[i] = append(g.after[i], to)
		}
	}
	return g
}

// cycles are the items that wait for themselves over others, each cycle in the order of its
// items, by Tarjan's algorithm without recursion.
func (s State) cycles() [][]events.Name {
	t := tarjan{s: s, index: make([]int, len(s.Items)), low: make([]int, len(s.Items)), on: make([]bool, len(s.Items))}
	for i := range s.Items {
		if t.index[i] == 0 {
			t.visit(i)
		}
	}
	slices.SortFunc(t.found, func(a, b []events.Name) int { return s.graph.at[a[0]] - s.graph.at[b[0]] })
	return t.found
}

// tarjan finds strongly connected components.
type tarjan struct {
	s          State
	next       int
	index, low []int // 0 is not visited
	on         []bool
	stack      []int
	found      [][]events.Name
}

// frame is a visit that is not over.
type frame struct{ item, edge int }

func (t *tarjan) visit(root int) {
	t.open(root)
	for path := []frame{{root, 0}}; len(path) > 0; {
		f := &path[len(path)-1]
		if to, ok := t.edge(f); ok {
			switch {
			case t.index[to] == 0:
				t.open(to)
				path = append(path, frame{to, 0})
			case t.on[to]:
				t.low[f.item] = min(t.low[f.item], t.index[to])
			}
			continue
		}
		done := f.item
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := path[len(path)-1].item
			t.low[above] = min(t.low[above], t.low[done])
		}
		if t.low[done] == t.index[done] {
			t.close(done)
		}
	}
}

func (t *tarjan) open(i int) {
	t.next++
	t.index[i], t.low[i], t.on[i] = t.next, t.next, true
	t.stack = append(t.stack, i)
}

// edge is the next item that an item waits for.
func (t *tarjan) edge(f *frame) (to int, ok bool) {
	after := t.s.graph.after[f.item]
	for f.edge < len(after) {
		to := after[f.edge]
		f.edge++
		if to != outside && t.s.Items[to].Stage != Finished {
			return to, true
		}
	}
	return 0, false
}

// close takes a component off the stack. One item alone is a cycle if it waits for itself.
func (t *tarjan) close(root int) {
	at := slices.Index(t.stack, root)
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, i := range part {
		t.on[i] = false
	}
	it := t.s.Items[root]
	if len(part) == 1 && !slices.Contains(it.After, it.Name) {
		return
	}
	slices.Sort(part)
	names := make([]events.Name, len(part))
	for k, i := range part {
		names[k] = t.s.Items[i].Name
	}
	t.found = append(t.found, names)
}
