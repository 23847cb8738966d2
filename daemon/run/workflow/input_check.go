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
	p.choices(w, known)
}

func (p *problems) input(at string, in Input) {
	if in.Kind != "" {
		one(p, at+".kind", in.Kind, inputKinds()...)
	}
	path := in.Is() == PathInput
	switch {
	case path && in.Find == "":
		p.add(at, "add find: GLOB", "an input of kind path needs find")
	case !path && in.Find != "":
		p.add(at+".find", "take it out, or write kind: path", "find is for inputs of kind path")
	case !path && in.Missing != "":
		p.add(at+".missing", "take it out", "missing is for inputs of kind path")
	case (path || in.Is() == IssueInput || in.Is() == SlugInput) && in.Default != "":
		p.add(at+".default", "take it out", "an input of kind %s has no default", in.Is())
	case in.Optional && in.Is() != CommandInput:
		p.add(at+".optional", "take it out, or write kind: command", "optional is for inputs of kind command")
	}
	p.choice(at, in)
}

// choice checks the words of an input of kind choice.
func (p *problems) choice(at string, in Input) {
	choice := in.Is() == ChoiceInput
	for i, word := range in.Of {
		p.name(index(at+".of", i), "word", word)
		if slices.Contains(in.Of[:i], word) {
			p.add(index(at+".of", i), "remove it", "%q is given twice", word)
		}
	}
	switch {
	case choice && len(in.Of) < 2:
		p.add(at, "add of: [ONE, TWO]", "an input of kind choice needs two words or more")
	case !choice && (in.Of != nil || in.Empty != ""):
		p.add(at, "write kind: choice", "of and empty are for inputs of kind choice")
	}
	for _, e := range []struct{ key, word string }{{"default", in.Default}, {"empty", in.Empty}} {
		if choice && e.word != "" && !slices.Contains(in.Of, e.word) {
			p.add(at+"."+e.key, nearest(e.word, in.Of), "%q is not in of", e.word)
		}
	}
}

func inputKinds() []InputKind {
	return []InputKind{TextInput, NumberInput, CommandInput, IssueInput, PathInput, ChoiceInput, SlugInput}
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
		call(at+".name", ph.Name, false)
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
