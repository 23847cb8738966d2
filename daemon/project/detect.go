package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Fact is one file and what it says.
type Fact struct {
	File string // relative to the root, with slashes
	Says string
}

// Gate is a proposed gate.
type Gate struct {
	Name    events.Name
	Role    events.GateRole
	Command string // for /bin/sh -c at the root
	From    string // the file that it comes from
}

// Programs are the command words of the gate.
func (g Gate) Programs() []string { return rule.Command{Text: g.Command}.Words() }

// Found is what a tree is made of.
type Found struct {
	Kinds []string // go, node, rust, python, java, make: each once, in this order
	Dirs  []string // directories below the root that the gates are from; none is the root
	Facts []Fact
	Gates []Gate // the goals first, the best one of them named test
	Setup string // prepares a clean checkout; empty if nothing is needed
}

// Has says whether there is a goal.
func (f Found) Has() bool { return len(f.Gates) > 0 && f.Gates[0].Role == events.RoleGoal }

// Detect looks at the root, and if that says nothing about tests at the
// directories one level below it.
func Detect(fsys fs.FS) Found {
	root := look(tree{fsys, "."})
	hints := root.t.ciLines()
	f := root.choose(hints)
	if f.Has() {
		return f
	}
	below := detectBelow(fsys)
	if len(below.Gates) > 0 {
		below.Facts = append(slices.Clip(f.Facts), below.Facts...)
		return below
	}
	f.fromCI(hints)
	return f
}

// maxDirs bounds the directories below the root that are looked at, and
// maxGoals those of them that get a goal.
const (
	maxDirs  = 64
	maxGoals = 4
)

// passedOver are directories that hold what others wrote, or what is built.
var passedOver = []string{"node_modules", "vendor", "third_party", "target", "dist", "build", "out", "testdata", "examples", "docs", "venv"}

func detectBelow(fsys fs.FS) Found {
	var all Found
	var setups []string
	goals := 0
	for _, dir := range dirs(fsys) {
		f := look(tree{fsys, dir}).choose(nil)
		if !f.Has() || goals == maxGoals {
			continue
		}
		goals++
		all.Dirs = append(all.Dirs, dir)
		all.addKinds(f.Kinds)
		all.Facts = append(all.Facts, f.Facts...)
		for _, g := range f.Gates {
			all.add(g, nameOf(dir))
		}
		if f.Setup != "" {
			setups = append(setups, f.Setup)
		}
	}
	all.sortGoalsFirst()
	for i := range setups {
		if len(setups) > 1 {
			setups[i] = "(" + setups[i] + ")"
		}
	}
	all.Setup = strings.Join(setups, " && ")
	return all
}

func dirs(fsys fs.FS) []string {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(passedOver, name) && len(out) < maxDirs {
			out = append(out, name)
		}
	}
	return out
}

// add takes a gate, under another name if its own is taken.
func (f *Found) add(g Gate, suffix string) {
	taken := func(n events.Name) bool {
		return slices.ContainsFunc(f.Gates, func(o Gate) bool { return o.Name == n })
	}
	if taken(g.Name) {
		g.Name = events.Name(string(g.Name) + "-" + suffix)
	}
	if g.Name.Valid() && !taken(g.Name) {
		f.Gates = append(f.Gates, g)
	}
}

func (f *Found) addKinds(kinds []string) {
	for _, k := range kinds {
		if !slices.Contains(f.Kinds, k) {
			f.Kinds = append(f.Kinds, k)
		}
	}
}

func (f *Found) sortGoalsFirst() {
	slices.SortStableFunc(f.Gates, func(a, b Gate) int {
		rank := func(g Gate) int {
			if g.Role == events.RoleGoal {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
}

// nameOf makes a part of a gate's name of a directory's.
func nameOf(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(path.Base(dir)))
	return name[:min(len(name), 32)]
}
