package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/slug"

	"github.com/bmatcuk/doublestar/v4"
)

// Input is a text that a run brings along for its workflow: ${{NAME}} in a command
// or a glob of it, and in prompts {{.Input "NAME"}}.
type Input struct {
	Kind    InputKind `yaml:"kind"`
	About   string    `yaml:"about"`   // one line, for who has to give it
	Default string    `yaml:"default"` // may hold inputs before it
	Find    string    `yaml:"find"`    // path: a glob that exactly one file or directory matches; may hold inputs before it
	Missing string    `yaml:"missing"` // path: what a person has to do first, where there is none

	Of       []string `yaml:"of"`       // choice: the words that it can be
	Empty    string   `yaml:"empty"`    // choice: its default in a work tree without files
	Optional bool     `yaml:"optional"` // command: none says that the check does not apply
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
	ChoiceInput  InputKind = "choice"  // one of the words in of
	SlugInput    InputKind = "slug"    // the task as a part of a file name
)

// Is says of which kind an input is.
func (i Input) Is() InputKind {
	switch {
	case i.Kind != "":
		return i.Kind
	case i.Find != "":
		return PathInput
	case i.Of != nil:
		return ChoiceInput
	}
	return TextInput
}

// Given is what a run brings along.
type Given struct {
	Typed    map[string]string // by who starts it
	Settings map[string]string // of the project; names that the workflow does not know are for others
	Issue    int               // 0 is none
	Files    fs.FS             // of the work tree, without a way out of it
	Task     string            // as it was typed
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
	More  []string // of ErrNoInput: all inputs that are missing
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
	var missing []string
	for _, e := range w.Inputs {
		v, err := w.resolve(e.Key, e.Value, g, out)
		if errors.Is(err, ErrNoInput) && e.Value.Is() != IssueInput {
			missing = append(missing, e.Key)
			continue
		}
		if err != nil {
			return nil, err
		}
		out[e.Key] = v
	}
	if len(missing) > 0 {
		in, _ := w.Inputs.Get(missing[0])
		return nil, &InputError{Name: missing[0], Input: in, Err: ErrNoInput, More: missing}
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
	case kind == SlugInput && !given:
		return slug.Of(g.Task, slug.File), nil
	case kind == ChoiceInput && !given && in.Empty != "" && isEmpty(g.Files):
		return in.Empty, nil
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
	case in.Is() == ChoiceInput && !slices.Contains(in.Of, text):
		return fail(ErrBadInput, fmt.Sprintf("%q is none of %s", text, strings.Join(in.Of, ", ")))
	case in.Is() == SlugInput && slug.Of(text, slug.File) != text:
		return fail(ErrBadInput, fmt.Sprintf("%q is not a part of a file name, such as %s", text, slug.Of(text, slug.File)))
	case in.Is() == NumberInput && strings.Trim(text, "0123456789") != "":
		return fail(ErrBadInput, fmt.Sprintf("%q is not a number", text))
	case w.counts(name) && notTimes(text) != "":
		return fail(ErrBadInput, notTimes(text))
	case in.Is() != CommandInput && noWord(text) != "":
		return fail(ErrBadInput, noWord(text))
	}
	return text, nil
}

// NotApplicable is the value of an optional command whose check does not apply.
const NotApplicable = "none"

// isEmpty says that a work tree has no files but hidden ones.
func isEmpty(files fs.FS) bool {
	list, err := fs.ReadDir(files, ".")
	return err == nil && !slices.ContainsFunc(list, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") })
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
		return fmt.Sprintf("%q begins with a dash, and would be read as an option", text)
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
