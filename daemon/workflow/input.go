package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"autopilot/daemon/strictyaml"
)

// Input is a text that a run brings along for its workflow: ${{NAME}} in a command
// or a glob of it, and in prompts {{.Input "NAME"}}.
type Input struct {
	Kind    InputKind `yaml:"kind"`
	About   string    `yaml:"about"`   // one line, for who has to give it
	Default string    `yaml:"default"` // may hold inputs before it
	Find    string    `yaml:"find"`    // path: a glob that exactly one file or directory matches; may hold inputs before it
	Missing string    `yaml:"missing"` // path: what a person has to do first, where there is none
}

// InputKind is what an input is, and so how it stands in commands and globs.
type InputKind string

// The kinds of inputs. The zero value is text: one word in a command, and itself in
// a glob.
const (
	TextInput    InputKind = "text"
	NumberInput  InputKind = "number"  // digits
	CommandInput InputKind = "command" // for /bin/sh -c, and only where a command stands
	IssueInput   InputKind = "issue"   // the number of the issue that the run is about
	PathInput    InputKind = "path"    // found in the work tree
)

// Is says of which kind an input is.
func (i Input) Is() InputKind {
	switch {
	case i.Kind != "":
		return i.Kind
	case i.Find != "":
		return PathInput
	}
	return TextInput
}

// Given is what a run brings along.
type Given struct {
	Typed    map[string]string // by who starts it
	Settings map[string]string // of the project; names that the workflow does not know are for others
	Issue    int               // 0 is none
	Files    fs.FS             // of the work tree, without a way out of it
}

// What is wrong with what a run brings along. InputError says of which input.
var (
	ErrUnknownInput = errors.New("the workflow has no such input")
	ErrNoInput      = errors.New("it is not given")
	ErrBadInput     = errors.New("it cannot be used")
	ErrNotFound     = errors.New("nothing matches")
	ErrAmbiguous    = errors.New("several match")
)

// InputError is an input that stops a run from beginning.
type InputError struct {
	Name  string
	Input Input
	Err   error    // one of those above
	Found []string // of ErrAmbiguous; of ErrNotFound the glob
	Why   string   // of ErrBadInput
}

func (e *InputError) Error() string {
	out := fmt.Sprintf("input %s: %v", e.Name, e.Err)
	if len(e.Found) > 0 {
		out += ": " + strings.Join(e.Found, ", ")
	}
	if e.Why != "" {
		out += ": " + e.Why
	}
	return out
}

func (e *InputError) Unwrap() error { return e.Err }

// Resolve is the value of each input of a workflow for a run. The error is an
// *InputError.
func (w Workflow) Resolve(g Given) (map[string]string, error) {
	for _, name := range slices.Sorted(maps.Keys(g.Typed)) {
		if _, ok := w.Inputs.Get(name); !ok {
			return nil, &InputError{Name: name, Err: ErrUnknownInput}
		}
	}
	if len(w.Inputs) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	for _, e := range w.Inputs {
		v, err := w.resolve(e.Key, e.Value, g, out)
		if err != nil {
			return nil, err
		}
		out[e.Key] = v
	}
	return out, nil
}

func (w Workflow) resolve(name string, in Input, g Given, before map[string]string) (string, error) {
	fail := func(err error, why string) (string, error) {
		return "", &InputError{Name: name, Input: in, Err: err, Why: why}
	}
	text, given := g.Typed[name]
	if !given {
		text, given = g.Settings[name]
	}
	switch kind := in.Is(); {
	case given && (kind == IssueInput || kind == PathInput):
		return fail(ErrBadInput, "the run finds it by itself")
	case kind == IssueInput:
		if g.Issue <= 0 {
			return fail(ErrNoInput, "")
		}
		return strconv.Itoa(g.Issue), nil
	case kind == PathInput:
		return findInput(name, in, g.Files, w.fillGlob(in.Find, before))
	case !given && in.Default == "":
		return fail(ErrNoInput, "")
	case !given && kind == CommandInput:
		return w.fillCommand(in.Default, before), nil
	case !given:
		text = w.fillText(in.Default, before)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return fail(ErrBadInput, "it is blank")
	case strings.ContainsRune(text, 0):
		return fail(ErrBadInput, "it holds a NUL byte")
	case in.Is() == NumberInput && strings.Trim(text, "0123456789") != "":
		return fail(ErrBadInput, fmt.Sprintf("%q is no number", text))
	case in.Is() != CommandInput && noWord(text) != "":
		return fail(ErrBadInput, noWord(text))
	}
	return text, nil
}

// noWord says why a text cannot be one word of a command.
//
// Source: atdd-kit, lesson A60: a value that begins with a dash reached a command as
// one of its options.
func noWord(text string) string {
	switch {
	case strings.ContainsAny(text, "\n\r"):
		return "it has several lines"
	case strings.HasPrefix(text, "-"):
		return fmt.Sprintf("%q begins with a dash, so a command would take it for an option", text)
	}
	return ""
}

// findInput is the one path that a glob matches.
func findInput(name string, in Input, files fs.FS, glob string) (string, error) {
	found, err := doublestar.Glob(files, glob, doublestar.WithNoFollow())
	if err != nil {
		return "", &InputError{Name: name, Input: in, Err: ErrBadInput, Why: err.Error()}
	}
	slices.Sort(found)
	switch len(found) {
	case 0:
		return "", &InputError{Name: name, Input: in, Err: ErrNotFound, Found: []string{glob}}
	case 1:
		if why := noWord(found[0]); why != "" {
			return "", &InputError{Name: name, Input: in, Err: ErrBadInput, Why: why}
		}
		return found[0], nil
	}
	return "", &InputError{Name: name, Input: in, Err: ErrAmbiguous, Found: found}
}

// reference is an input in a command or a glob.
var reference = regexp.MustCompile(`\$\{\{\s*([^{}\s]*)\s*\}\}`)

// references are the names of the inputs in a text.
func references(s string) (names []string) {
	for _, m := range reference.FindAllStringSubmatch(s, -1) {
		names = append(names, m[1])
	}
	return names
}

func replace(s string, value func(name string) string) string {
	return reference.ReplaceAllStringFunc(s, func(m string) string { return value(reference.FindStringSubmatch(m)[1]) })
}

// fillCommand puts inputs into a command: another command as it is, anything else as
// one word of a shell, so that nothing in a name becomes a command.
func (w Workflow) fillCommand(s string, values map[string]string) string {
	return replace(s, func(name string) string {
		if in, _ := w.Inputs.Get(name); in.Is() == CommandInput {
			return values[name]
		}
		return shellWord(values[name])
	})
}

// shellWord leaves plain words as they are, for who reads the command.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-./", r)
	}
	if s != "" && strings.TrimLeftFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// fillGlob puts inputs into a glob, each as the text that it is.
func (w Workflow) fillGlob(s string, values map[string]string) string {
	return replace(s, func(name string) string {
		var b strings.Builder
		for _, r := range values[name] {
			if strings.ContainsRune(`\*?[]{}!`, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		return b.String()
	})
}

func (w Workflow) fillText(s string, values map[string]string) string {
	return replace(s, func(name string) string { return values[name] })
}

// Fill is the workflow of a run with these values: without references.
func (w Workflow) Fill(values map[string]string) Workflow {
	if len(w.Inputs) == 0 {
		return w
	}
	globs := func(list []string) []string {
		out := slices.Clone(list)
		for i, s := range out {
			out[i] = w.fillGlob(s, values)
		}
		return out
	}
	gates := func(list []Gate) []Gate {
		out := slices.Clone(list)
		for i := range out {
			g := &out[i]
			g.Run, g.Setup = w.fillCommand(g.Run, values), w.fillCommand(g.Setup, values)
			g.Files, g.Of = globs(g.Files), globs(g.Of)
		}
		return out
	}
	w.Phases = slices.Clone(w.Phases)
	for i := range w.Phases {
		p := &w.Phases[i]
		p.Produces, p.Changes.Files = globs(p.Produces), globs(p.Changes.Files)
		p.Entry, p.Gates = gates(p.Entry), gates(p.Gates)
		p.Brief = w.fillText(p.Brief, values)
	}
	w.Roles = slices.Clone(w.Roles)
	for i := range w.Roles {
		w.Roles[i].Value.Brief = w.fillText(w.Roles[i].Value.Brief, values)
	}
	w.Task, w.Rails.Plan.Files = globs(w.Task), globs(w.Rails.Plan.Files)
	return w
}

// sample fills a workflow for its checks: what is right with a plain word is right
// with every value. Each has one of its own, as two of them need not be equal.
func (w Workflow) sample() Workflow {
	values := map[string]string{}
	for _, e := range w.Inputs {
		values[e.Key] = "x-" + e.Key
	}
	return w.Fill(values)
}

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
				p.add(at, "take another input", "input %q is a command, and this is none", name)
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
}

func (p *problems) input(at string, in Input) {
	if in.Kind != "" {
		one(p, at+".kind", in.Kind, TextInput, NumberInput, CommandInput, IssueInput, PathInput)
	}
	path := in.Is() == PathInput
	switch {
	case path && in.Find == "":
		p.add(at, "add find: GLOB", "an input of kind path is found")
	case !path && in.Find != "":
		p.add(at+".find", "take it out, or write kind: path", "only an input of kind path is found")
	case !path && in.Missing != "":
		p.add(at+".missing", "take it out", "only a path can be missing")
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
