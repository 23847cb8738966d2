package library

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
)

// Origin says where a workflow or prompt is from.
type Origin string

// The origins.
const (
	Shipped Origin = "shipped"
	Own     Origin = "project"
)

// Found is a workflow with its prompts. One that has problems must not be run.
type Found struct {
	Name     string
	Origin   Origin
	Path     string // of the project's file
	Hides    bool   // one of that name ships too
	Source   []byte
	Flow     workflow.Workflow
	Prompts  []Prompt             // each file once, in the order in which they are named
	Problems []wire.ConfigProblem // all of them
}

// Prompt is a prompt that a workflow names.
type Prompt struct {
	File   string
	Origin Origin
	Path   string // of the project's file
	Hides  bool   // one of that name ships too
	Source []byte
}

// Asks says that something of it is the project's, so a person has to agree to
// it before it is run.
func (f Found) Asks() bool {
	return f.Origin == Own || slices.ContainsFunc(f.Prompts, func(p Prompt) bool { return p.Origin == Own })
}

// Prompt finds a prompt by its file.
func (f Found) Prompt(file string) (Prompt, bool) {
	i := slices.IndexFunc(f.Prompts, func(p Prompt) bool { return p.File == file })
	if i < 0 {
		return Prompt{}, false
	}
	return f.Prompts[i], true
}

// Find finds a workflow. The error is workflow.ErrUnknown if there is none of
// that name.
func (p Project) Find(name string) (Found, error) {
	_, shipped, err := workflow.Shipped(name)
	if err != nil && !errors.Is(err, workflow.ErrUnknown) {
		return Found{}, err
	}
	own, ok := find(p.Workflows, name)
	switch {
	case ok:
		f := Found{Name: name, Origin: Own, Path: own.Path, Hides: err == nil, Source: own.Source}
		if own.Err != nil {
			f.Problems = []wire.ConfigProblem{unreadable(own)}
			return f, nil
		}
		p.check(&f)
		return f, nil
	case err != nil:
		return Found{}, err
	}
	f := Found{Name: name, Origin: Shipped, Source: shipped}
	p.check(&f)
	return f, nil
}

// Check checks a text as the file at a path, with the prompts of the project. The
// workflow may have any name.
func (p Project) Check(path string, src []byte) Found {
	f := Found{Origin: Own, Path: path, Source: src}
	p.check(&f)
	f.Name = f.Flow.Name
	return f
}

func (p Project) check(f *Found) {
	var found []*strictyaml.Error
	f.Flow, found = workflow.Lint(f.Source, f.named, p.agents, func(w workflow.Workflow) []workflow.Mistake { return p.prompts(f, w) })
	place := f.Path
	if place == "" {
		place = f.Name + ".yaml"
	}
	mine := make([]wire.ConfigProblem, 0, len(found)+len(f.Problems))
	for _, e := range found {
		mine = append(mine, wire.ConfigProblem{File: place, Line: e.Line, Column: e.Column, Message: e.Msg, Fix: e.Fix, Excerpt: e.Excerpt})
	}
	f.Problems = append(mine, f.Problems...)
}

// named checks that a file has the name of its workflow.
func (f *Found) named(w workflow.Workflow) []workflow.Mistake {
	if f.Name == "" || w.Name == f.Name || w.Name == "" {
		return nil
	}
	return []workflow.Mistake{{
		Path: "name", Msg: fmt.Sprintf("the workflow is named %q, but its file is %s.yaml", w.Name, f.Name),
		Fix: "write name: " + f.Name + ", or rename the file",
	}}
}

// agents checks that the profiles are known, where it is known which there are.
func (p Project) agents(w workflow.Workflow) []workflow.Mistake {
	var out []workflow.Mistake
	for _, e := range w.Roles {
		for i, name := range e.Value.Agents {
			if p.Agents == nil || !events.Name(name).Valid() || slices.Contains(p.Agents, name) {
				continue
			}
			fix := "apctl agent ls   lists them; your own agent needs a command in the configuration"
			if near := strictyaml.Nearest(name, p.Agents); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
			out = append(out, workflow.Mistake{Path: fmt.Sprintf("roles.%s.agent.%d", e.Key, i), Msg: fmt.Sprintf("there is no agent %q", name), Fix: fix})
		}
	}
	return out
}

// prompts finds those of phases and roles. What is wrong with one itself is a
// problem of its file.
func (p Project) prompts(f *Found, w workflow.Workflow) []workflow.Mistake {
	var out []workflow.Mistake
	for _, n := range naming(w) {
		if filepath.Base(n.file) != n.file || filepath.Ext(n.file) != ".md" {
			continue // none, or no name of a file: that is said already
		}
		if _, ok := f.Prompt(n.file); ok {
			continue
		}
		prompt, problem := p.prompt(n.file)
		switch {
		case problem == nil:
		case problem.File == "":
			out = append(out, workflow.Mistake{Path: n.path, Msg: problem.Message, Fix: problem.Fix})
			continue
		default:
			f.Problems = append(f.Problems, *problem)
		}
		f.Prompts = append(f.Prompts, prompt)
	}
	return out
}

// named is a place where a workflow names a prompt.
type named struct {
	path, file string
}

func naming(w workflow.Workflow) (out []named) {
	for i, ph := range w.Phases {
		out = append(out, named{fmt.Sprintf("phases.%d.prompt", i), ph.Prompt})
	}
	for _, r := range w.Roles {
		out = append(out, named{"roles." + r.Key + ".prompt", r.Value.Prompt})
	}
	return out
}

// prompt finds a prompt, the project's first. A problem without a file is that
// there is none.
func (p Project) prompt(file string) (Prompt, *wire.ConfigProblem) {
	src, err := workflow.ShippedPrompt(file)
	out := Prompt{File: file, Origin: Shipped, Source: src}
	own, ok := find(p.Prompts, file)
	switch {
	case ok:
		out = Prompt{File: file, Origin: Own, Path: own.Path, Hides: err == nil, Source: own.Source}
		if own.Err != nil {
			problem := unreadable(own)
			return out, &problem
		}
	case err != nil:
		return out, &wire.ConfigProblem{Message: fmt.Sprintf("there is no prompt %q", file), Fix: p.nearestPrompt(file)}
	}
	if _, err := workflow.ParsePrompt(file, out.Source); err != nil {
		return out, &wire.ConfigProblem{File: out.place(), Message: err.Error(), Fix: "docs/workflows.md lists what a prompt can use"}
	}
	return out, nil
}

func (p Prompt) place() string {
	if p.Path != "" {
		return p.Path
	}
	return p.File
}

func (p Project) nearestPrompt(file string) string {
	known := workflow.PromptNames()
	for _, f := range p.Prompts {
		known = append(known, f.Name)
	}
	if near := strictyaml.Nearest(file, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write .autopilot/prompts/" + file
}

func unreadable(f File) wire.ConfigProblem {
	return wire.ConfigProblem{File: f.Path, Message: "cannot be read: " + f.Err.Error(), Fix: "correct it, or move it away"}
}
