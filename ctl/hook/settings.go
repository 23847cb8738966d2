package hook

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autopilot/projections/phrase"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Installed is what settings hold of ours.
type Installed struct {
	Events []string // of which a hook of ours is there
	Calls  []string // programs that they call, each once
}

// Look says what is installed in settings.
func (h Host) Look(src []byte) (Installed, error) {
	var in Installed
	root, err := h.parse(src)
	if err != nil {
		return in, err
	}
	for _, e := range h.Events {
		for _, f := range h.ours(root, e) {
			in.Events = append(in.Events, e.Name)
			in.Calls = append(in.Calls, f.program)
		}
	}
	in.Events = slices.Compact(in.Events)
	slices.Sort(in.Calls)
	in.Calls = slices.Compact(in.Calls)
	return in, nil
}

// Install is the settings with our hooks in them, each once, calling program.
// What is installed already stays as it is; one that calls another program calls
// this one.
func (h Host) Install(src []byte, program string) ([]byte, error) {
	for _, e := range h.Events {
		root, err := h.parse(src)
		if err != nil {
			return nil, err
		}
		have := h.ours(root, e)
		if len(have) == 0 {
			src = h.add(src, root, e, program)
			continue
		}
		if have[0].program != program {
			src = splice(src, have[0].command.from, have[0].command.to, encoded(h.command(program, e)))
		}
		for range have[1:] {
			if src, err = h.drop(src, e, 1); err != nil {
				return nil, err
			}
		}
	}
	if _, err := h.parse(src); err != nil {
		return nil, fmt.Errorf("put the hooks in: %w", err)
	}
	return src, nil
}

// Uninstall is the settings without our hooks, and without what held nothing but
// them.
func (h Host) Uninstall(src []byte) (_ []byte, err error) {
	for _, e := range h.Events {
		for {
			before := len(src)
			if src, err = h.drop(src, e, 0); err != nil {
				return nil, err
			}
			if len(src) == before {
				break
			}
		}
	}
	return src, nil
}

// found is a hook of ours: where it stands, from the outermost list to itself.
type found struct {
	way     [5]step
	command *node
	program string
}

// step is an entry of a list or an object.
type step struct {
	in *node
	at int
}

// parse reads settings, and refuses those whose hooks are not in the form that
// the host wants: what is there could be lost.
func (h Host) parse(src []byte) (*node, error) {
	root, err := parse(src)
	if err != nil || root == nil {
		return root, err
	}
	wrong := func(n *node, what string) error { return placed(src, n.from, fmt.Errorf("%s", what)) }
	if root.kind != '{' {
		return nil, wrong(root, "settings are an object, and this is none")
	}
	hooks := root.member("hooks")
	if hooks == nil {
		return root, nil
	}
	if hooks.kind != '{' {
		return nil, wrong(hooks, `"hooks" is an object, and this is none`)
	}
	for _, e := range h.Events {
		if list := hooks.member(e.Name); list != nil && list.kind != '[' {
			return nil, wrong(list, fmt.Sprintf("%q in hooks is a list, and this is none", e.Name))
		}
	}
	return root, nil
}

// ours are our hooks of an event.
func (h Host) ours(root *node, e Event) []found {
	hooks := root.member("hooks")
	groups := hooks.member(e.Name)
	if groups == nil {
		return nil
	}
	top := []step{{root, index(root, "hooks")}, {hooks, index(hooks, e.Name)}}
	var out []found
	for i, g := range groups.values {
		list := g.member("hooks")
		if list == nil || list.kind != '[' {
			continue
		}
		for j, hook := range list.values {
			command := hook.member("command")
			if command == nil {
				continue
			}
			if program, ok := h.calls(command.text, e); ok {
				way := append(slices.Clone(top), step{groups, i}, step{g, index(g, "hooks")}, step{list, j})
				out = append(out, found{[5]step(way), command, program})
			}
		}
	}
	return out
}

func index(n *node, name string) int {
	for i, m := range n.names {
		if m.text == name {
			return i
		}
	}
	return -1
}

// command is what the host runs for an event.
func (h Host) command(program string, e Event) string {
	return phrase.Quote(program) + h.words(e)
}

func (h Host) words(e Event) string {
	if h.call != "" {
		return " " + h.call
	}
	return " hook " + h.Name + " " + e.Name
}

// calls says whether a command is one of ours, and which program it calls.
func (h Host) calls(command string, e Event) (program string, ok bool) {
	first, ok := strings.CutSuffix(command, h.words(e))
	if !ok {
		return "", false
	}
	if program = unword(first); program == "" || path.Base(program) != "apctl" {
		return "", false
	}
	return program, true
}

// unword undoes phrase.Quote; what that has not made is empty.
func unword(s string) string {
	if s == "" || phrase.Quote(s) == s {
		return s
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(s, "'"), "'")
	if plain := strings.ReplaceAll(inner, `'\''`, "'"); phrase.Quote(plain) == s {
		return plain
	}
	return ""
}

func encoded(s string) string {
	b, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return `""`
	}
	return string(b)
}
