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
	Kinds  []string // go, node, rust, python, java, php, ruby, dotnet, make: each once, in this order
	Dirs   []string // directories below the root that the gates are from; none is the root
	Facts  []Fact
	Gates  []Gate // the goals first, the best one of them named test
	Others []Gate // goals of the other packages of the tree, for a person to choose
	More   int    // further ones that are not listed
	Setup  string // prepares a clean checkout; empty if nothing is needed
}

// Has says whether there is a goal.
func (f Found) Has() bool { return len(f.Gates) > 0 && f.Gates[0].Role == events.RoleGoal }

// Detect looks for the manifest that is nearest to a directory, upwards to the root,
// and proposes its gates, then those of the root. What the other packages have is
// listed. If neither says anything about tests, all directories below are proposed.
func Detect(fsys fs.FS, near string) Found {
	root := look(tree{fsys, "."})
	hints := root.t.ciLines()
	atRoot := root.choose(hints)
	f := atRoot
	own := nearest(fsys, near)
	if own != "" {
		f = look(tree{fsys, own}).choose(nil)
		f.Dirs = []string{own}
		f.join(atRoot, rootSuffix)
	}
	packages := slices.DeleteFunc(packages(fsys), func(dir string) bool { return dir == own })
	if f.Has() {
		f.offer(fsys, packages)
		return f
	}
	below := detectBelow(fsys, packages)
	if len(below.Gates) > 0 {
		below.Facts = append(slices.Clip(f.Facts), below.Facts...)
		below.Setup = joinSetups(notEmpty(f.Setup, below.Setup))
		return below
	}
	f.fromCI(hints)
	return f
}

// rootSuffix names gates of the root beside those of a package.
const rootSuffix = "root"

// nearest is the directory with a goal that is the nearest to another, upwards; empty
// is the root.
func nearest(fsys fs.FS, near string) string {
	for dir := path.Clean(near); dir != "." && fs.ValidPath(dir); dir = path.Dir(dir) {
		if t := (tree{fsys, dir}); t.isPackage() && look(t).choose(nil).Has() {
			return dir
		}
	}
	return ""
}

// Bounds of what is proposed from below the root: directories with a goal, and goals
// that are listed.
const (
	maxGoals  = 4
	maxOthers = 24
)

func detectBelow(fsys fs.FS, packages []string) Found {
	var all Found
	var setups []string
	for _, dir := range append(tree{fsys, "."}.dirs(), packages...) {
		if slices.Contains(all.Dirs, dir) {
			continue
		}
		if len(all.Dirs) == maxGoals {
			all.offer(fsys, []string{dir})
			continue
		}
		f := look(tree{fsys, dir}).choose(nil)
		if !f.Has() {
			continue
		}
		all.Dirs = append(all.Dirs, dir)
		all.addKinds(f.Kinds)
		all.Facts = append(all.Facts, f.Facts...)
		for _, g := range f.Gates {
			all.add(g, dir)
		}
		if f.Setup != "" {
			setups = append(setups, f.Setup)
		}
	}
	all.sortGoalsFirst()
	all.Setup = joinSetups(setups)
	return all
}

func joinSetups(setups []string) string {
	for i := range setups {
		if len(setups) > 1 {
			setups[i] = "(" + setups[i] + ")"
		}
	}
	return strings.Join(setups, " && ")
}

// join adds what another directory says.
func (f *Found) join(other Found, suffix string) {
	f.addKinds(other.Kinds)
	f.Facts = append(f.Facts, other.Facts...)
	for _, g := range other.Gates {
		f.add(g, suffix)
	}
	f.sortGoalsFirst()
	f.Setup = joinSetups(notEmpty(other.Setup, f.Setup)) // the root first: packages use what it brings
}

func notEmpty(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// offer lists the goals of further packages.
func (f *Found) offer(fsys fs.FS, packages []string) {
	for _, dir := range packages {
		for _, g := range look(tree{fsys, dir}).choose(nil).Gates {
			known := func(o Gate) bool { return o.Command == g.Command }
			switch name := f.free(g.Name, dir); {
			case g.Role != events.RoleGoal || name == "" || slices.ContainsFunc(f.Others, known) || slices.ContainsFunc(f.Gates, known):
			case len(f.Others) == maxOthers:
				f.More++
			default:
				g.Name = name
				f.Others = append(f.Others, g)
			}
		}
	}
}

// add takes a gate, under another name if its own is taken.
func (f *Found) add(g Gate, dir string) {
	if !g.Name.Valid() || f.taken(g.Name) {
		g.Name = f.free(g.Name, dir)
	}
	if g.Name != "" {
		f.Gates = append(f.Gates, g)
	}
}

func (f *Found) taken(n events.Name) bool {
	same := func(o Gate) bool { return o.Name == n }
	return slices.ContainsFunc(f.Gates, same) || slices.ContainsFunc(f.Others, same)
}

// free is a name with that of a directory, or with its whole path where that is taken
// too; empty is none.
func (f *Found) free(name events.Name, dir string) events.Name {
	for _, suffix := range []string{path.Base(dir), dir} {
		if n := events.Name(string(name) + "-" + nameOf(suffix)); n.Valid() && !f.taken(n) {
			return n
		}
	}
	return ""
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

// nameOf makes a part of a gate's name of a path.
func nameOf(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(dir))
	return name[:min(len(name), 48)]
}
