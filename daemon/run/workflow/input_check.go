package workflow

import (
	"fmt"
	"slices"

	"autopilot/daemon/strictyaml"
)

// inputs checks the inputs, and that each reference is to one that may stand there.
func (p *problems) inputs(w Workflow) {
	var known []string
	refs := func(at, s string, command bool) {
		for _, name := range references(s) {
			in, ok := w.Inputs.Get(name)
			switch {
			case !ok || !slices.Contains(known, name):
				p.add(at, nearInput(name, known), "there is no input %q before this", name)
			case in.Is() == CommandInput && !command:
				p.add(at, "take another input", "input %q is a command, and is not allowed here", name)
			}
		}
	}
	for _, e := range w.Inputs {
		at := "inputs." + e.Key
		p.name(at, "input", e.Key)
		p.input(at, e.Value)
		refs(at+".default", e.Value.Default, e.Value.Is() == CommandInput)
		refs(at+".find", e.Value.Find, false)
		known = append(known, e.Key)
	}
	w.eachText(refs)
	p.times(w, known)
}

func (p *problems) input(at string, in Input) {
	if in.Kind != "" {
		one(p, at+".kind", in.Kind, TextInput, NumberInput, CommandInput, IssueInput, PathInput)
	}
	path := in.Is() == PathInput
	switch {
	case path && in.Find == "":
		p.add(at, "add find: GLOB", "an input of kind path needs find")
	case !path && in.Find != "":
		p.add(at+".find", "take it out, or write kind: path", "find is for inputs of kind path")
	case !path && in.Missing != "":
		p.add(at+".missing", "take it out", "missing is for inputs of kind path")
	case (path || in.Is() == IssueInput) && in.Default != "":
		p.add(at+".default", "take it out", "an input of kind %s has no default", in.Is())
	}
}

func nearInput(name string, known []string) string {
	if near := strictyaml.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "add it to inputs:"
}

// eachText calls with every text in which inputs can stand.
func (w Workflow) eachText(call func(at, s string, command bool)) {
	list := func(at string, globs []string) {
		for i, s := range globs {
			call(index(at, i), s, false)
		}
	}
	gates := func(at string, gs []Gate) {
		for i, g := range gs {
			at := index(at, i)
			call(at+".run", g.Run, true)
			call(at+".setup", g.Setup, true)
			list(at+".files", g.Files)
			list(at+".of", g.Of)
		}
	}
	for i, ph := range w.Phases {
		at := index("phases", i)
		call(at+".brief", ph.Brief, true)
		list(at+".produces", ph.Produces)
		list(at+".changes", ph.Changes.Files)
		gates(at+".entry", ph.Entry)
		gates(at+".gates", ph.Gates)
	}
	for _, e := range w.Roles {
		call("roles."+e.Key+".brief", e.Value.Brief, true)
	}
	list("task", w.Task)
	list("rails.plan.files", w.Rails.Plan.Files)
}
