package workflow

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"autopilot/daemon/strictyaml"
)

// ErrUnknown is the error for a workflow or prompt that does not ship.
var ErrUnknown = errors.New("not shipped")

//go:embed shipped
var shipped embed.FS

// Parse reads one workflow file. The error is a *strictyaml.Error: line,
// column, the lines around it and the fix.
func Parse(src []byte) (Workflow, error) {
	doc, err := strictyaml.Parse(src)
	if err != nil {
		return Workflow{}, err
	}
	w := Default()
	w.Version = 0 // a file must say which form it has
	if err := doc.Decode(&w); err != nil {
		return Workflow{}, err
	}
	if found := w.problems(); len(found) > 0 {
		p := found[0]
		return Workflow{}, doc.Errorf(p.path, p.fix, "%s", p.msg)
	}
	return w.provenAtTheEnd(), nil
}

// provenAtTheEnd lets the last phase judge by the goals of the run, where an
// earlier one does: what was proven there may have been broken since, and done
// says that it holds now. Invariants are judged with them, and pinned files too
// unless no phase looks at them.
func (w Workflow) provenAtTheEnd() Workflow {
	end := len(w.Phases) - 1
	if !w.HasGoals() {
		return w
	}
	var again []Gate
	for _, group := range []GateGroup{Goals, Invariants, Protected} {
		is := func(p Phase) bool { return p.judgedBy(group) }
		if !is(w.Phases[end]) && (group != Protected || slices.ContainsFunc(w.Phases, is)) {
			again = append(again, Gate{Group: group, Again: true})
		}
	}
	if len(again) == 0 || end == 0 {
		return w
	}
	w.Phases = slices.Clone(w.Phases)
	w.Phases[end].Gates = append(again, w.Phases[end].Gates...)
	return w
}

// Shipped returns a workflow that comes with the daemon and its source. The
// error is ErrUnknown when there is none of that name.
func Shipped(name string) (Workflow, []byte, error) {
	src, err := readShipped("workflow", name, name+".yaml")
	if err != nil {
		return Workflow{}, nil, err
	}
	w, err := Parse(src)
	if err != nil {
		return Workflow{}, nil, fmt.Errorf("parse shipped workflow %s: %w", name, err)
	}
	return w, src, nil
}

// Names lists the shipped workflows, sorted.
func Names() []string { return shippedNames(".yaml") }

// PromptNames lists the files of the shipped templates, sorted.
func PromptNames() []string {
	names := shippedNames(".md")
	for i := range names {
		names[i] += ".md"
	}
	return names
}

// ShippedPrompt returns the source of a template that comes with the daemon, by
// the file name that a phase gives. The error is ErrUnknown when there is none.
func ShippedPrompt(file string) ([]byte, error) {
	return readShipped("prompt", file, file)
}

func readShipped(what, name, file string) ([]byte, error) {
	known := shippedNames(path.Ext(file))
	if !slices.Contains(known, strings.TrimSuffix(file, path.Ext(file))) {
		return nil, fmt.Errorf("%s %q: %w", what, name, ErrUnknown)
	}
	return shipped.ReadFile("shipped/" + file)
}

// shippedNames lists the embedded files with that extension, without it. An
// embedded folder is sorted and cannot fail to be read.
func shippedNames(ext string) []string {
	entries, err := shipped.ReadDir("shipped")
	if err != nil {
		panic("workflow: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok && ext != "" {
			names = append(names, name)
		}
	}
	return names
}
