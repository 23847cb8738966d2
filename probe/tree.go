package probe

import (
	"maps"
	"slices"

	"autopilot/probe/judge"
)

// entry is one line of the table of processes.
type entry struct {
	pid, parent int
	name        string
	rss         judge.Num
}

// table finds processes by who started them.
type table struct {
	byPID    map[int]entry
	children map[int][]int
}

func newTable(all []entry) table {
	t := table{byPID: make(map[int]entry, len(all)), children: make(map[int][]int, len(all))}
	for _, p := range all {
		t.byPID[p.pid] = p
		t.children[p.parent] = append(t.children[p.parent], p.pid)
	}
	return t
}

// tree sums the processes below the roots, each once.
func (t table) tree(run string, roots []int) judge.Tree {
	out, rss, known := judge.Tree{Run: run}, 0.0, true
	seen, todo := map[int]bool{}, slices.Clone(roots)
	for len(todo) > 0 {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, ok := t.byPID[pid]
		if !ok || seen[pid] {
			continue
		}
		seen[pid] = true
		out.Processes++
		v, ok := p.rss.Get()
		rss, known = rss+v, known && ok
		todo = append(todo, t.children[pid]...)
	}
	if known {
		out.RSS = judge.Known(rss)
	}
	return out
}

// agents counts the trees whose root is an agent program: one that such a program
// has started belongs to it.
func (t table) agents(names []string) int {
	n := 0
	for _, p := range t.byPID {
		if slices.Contains(names, p.name) && !t.below(p.parent, names) {
			n++
		}
	}
	return n
}

// below says that a process or one that it descends from is an agent program.
func (t table) below(pid int, names []string) bool {
	for range len(t.byPID) { // a table that was read while it changed may have circles
		p, ok := t.byPID[pid]
		if !ok {
			return false
		}
		if slices.Contains(names, p.name) {
			return true
		}
		pid = p.parent
	}
	return false
}

func (t table) fill(r *judge.Reading, roots map[string][]int, names []string) {
	r.Agents = judge.Known(float64(t.agents(names)))
	for _, run := range slices.Sorted(maps.Keys(roots)) {
		r.RunTrees = append(r.RunTrees, t.tree(run, roots[run]))
	}
}
