package project

import (
	"slices"
	"strings"

	"autopilot/events"
)

// part is what one kind of project says: commands without the directory.
type part struct {
	kind   string
	facts  []Fact
	test   string // empty: no test command is known
	checks []check
	setup  string
	from   string // the file that test comes from
}

// check is an invariant.
type check struct{ name, command, from string }

func (p *part) says(file, text string) { p.facts = append(p.facts, Fact{file, text}) }

func (p *part) check(name, command, from string) {
	p.checks = append(p.checks, check{name, command, from})
}

// looked is all that was found in one directory.
type looked struct {
	t     tree
	parts []part
}

// look asks every kind. Make comes last: its targets call the tools of the
// others.
func look(t tree) looked {
	l := looked{t: t}
	for _, read := range []func(tree) (part, bool){readGo, readNode, readRust, readPython, readJava, readPHP, readRuby, readDotnet, readMake} {
		if p, ok := read(t); ok {
			l.parts = append(l.parts, p)
		}
	}
	return l
}

// choose makes the proposal. With tests of several languages the Makefile knows
// how to run them all; with one, its own command names the failing tests. What
// CI runs outweighs both.
func (l looked) choose(ci []ciLine) Found {
	var f Found
	tests := 0
	var maker *part
	for i, p := range l.parts {
		f.addKinds([]string{p.kind})
		f.Facts = append(f.Facts, p.facts...)
		switch {
		case p.kind == kindMake:
			maker = &l.parts[i]
		case p.test != "":
			tests++
		}
	}
	byMake := maker != nil && maker.test != "" && (tests != 1 || runs(ci, maker.test))
	for _, p := range l.parts {
		if p.test == "" || (p.kind == kindMake) != byMake {
			continue
		}
		f.add(Gate{"test", events.RoleGoal, l.t.in(p.test), l.t.file(p.from)}, p.kind)
	}
	f.hint(ci)
	for _, p := range l.parts {
		for _, c := range p.checks {
			f.add(Gate{events.Name(c.name), events.RoleInvariant, l.t.in(c.command), l.t.file(c.from)}, p.kind)
		}
	}
	f.Setup = l.setup()
	for i := range f.Facts {
		f.Facts[i].File = l.t.file(f.Facts[i].File)
	}
	return f
}

func (l looked) setup() string {
	var all []string
	for _, p := range l.parts {
		if p.setup != "" && !slices.Contains(all, p.setup) {
			all = append(all, p.setup)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return l.t.in(strings.Join(all, " && "))
}
