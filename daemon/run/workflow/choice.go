package workflow

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/strictyaml"
)

// Choice is one value, or one for each word of an input of kind choice:
//
//	rounds: 12
//	rounds: {by: profile, quick: 5, standard: 12}
type Choice[T any] struct {
	Value T                 // the plain value; of a choice, what Fill has chosen
	By    string            // the input that chooses; empty for a plain value
	Of    strictyaml.Map[T] // the value for each of its words
}

// byKey is the member that names the input of a choice.
const byKey = "by"

// member is a value that is read later.
type member struct{ strictyaml.Value }

// DecodeYAML keeps the value for later.
func (m *member) DecodeYAML(v strictyaml.Value) error {
	m.Value = v
	return nil
}

// DecodeYAML reads a plain value, or a mapping with the member by.
func (c *Choice[T]) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() != strictyaml.Mapping {
		return v.Decode(&c.Value)
	}
	var members strictyaml.Map[member]
	if err := v.Decode(&members); err != nil {
		return err
	}
	by, ok := members.Get(byKey)
	if !ok || by.Kind() != strictyaml.Text {
		return v.Decode(&c.Value)
	}
	c.By, c.Of = by.Plain(), strictyaml.Map[T]{}
	for _, m := range members {
		if m.Key == byKey {
			continue
		}
		e := strictyaml.Entry[T]{Key: m.Key}
		if err := m.Value.Decode(&e.Value); err != nil {
			return err
		}
		c.Of = append(c.Of, e)
	}
	return nil
}

// filled is the choice with the value for the word of its input.
func (c Choice[T]) filled(values map[string]string) Choice[T] {
	if v, ok := c.Of.Get(values[c.By]); ok && c.By != "" {
		c.Value = v
	}
	return c
}

// each calls with every value that it can be, and its path.
func (c Choice[T]) each(at string, call func(at string, v T)) {
	if c.By == "" {
		call(at, c.Value)
	}
	for _, e := range c.Of {
		call(at+"."+e.Key, e.Value)
	}
}

// words are the words that it has a value for.
func (c Choice[T]) words() (out []string) {
	for _, e := range c.Of {
		out = append(out, e.Key)
	}
	return out
}

// numberText is the number that was chosen, else all of them with their words.
func numberText(c Choice[int]) string {
	if c.By == "" || c.Value != 0 {
		return fmt.Sprint(c.Value)
	}
	var list []string
	for _, e := range c.Of {
		list = append(list, fmt.Sprintf("%d (%s)", e.Value, e.Key))
	}
	return strings.Join(list, ", ")
}

// choices checks that each choice is made by an input, and for each of its words.
func (p *problems) choices(w Workflow, known []string) {
	check := func(at, by string, words []string) {
		if by == "" {
			return
		}
		in, ok := w.Inputs.Get(by)
		switch {
		case !ok || !slices.Contains(known, by):
			p.add(at+"."+byKey, nearInput(by, known), "there is no input %q before this", by)
			return
		case in.Is() != ChoiceInput:
			p.add(at+"."+byKey, "write kind: choice", "input %q is a %s, but a choice is needed", by, in.Is())
			return
		}
		for _, word := range in.Of {
			if !slices.Contains(words, word) {
				p.add(at, fmt.Sprintf("add %s:", word), "there is no value for %s %s", by, word)
			}
		}
		for _, word := range words {
			if !slices.Contains(in.Of, word) {
				p.add(at+"."+word, nearest(word, in.Of), "input %q is never %q", by, word)
			}
		}
	}
	for i, ph := range w.Phases {
		for _, list := range []struct {
			at    string
			gates []Gate
		}{{index("phases", i) + ".entry", ph.Entry}, {index("phases", i) + ".gates", ph.Gates}} {
			for j, g := range list.gates {
				at := index(list.at, j)
				check(at+".rounds", g.Rounds.By, g.Rounds.words())
				check(at+".ambiguity", g.Ambiguity.By, g.Ambiguity.words())
				check(at+".weights", g.Weights.By, g.Weights.words())
			}
		}
	}
}
