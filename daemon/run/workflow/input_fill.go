package workflow

import (
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/regex"
)

// reference is an input in a command or a glob.
var reference = regex.New(`\$\{\{\s*([^{}\s]*)\s*\}\}`)

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
			g.Void = w.void(g.Run, values)
			g.Run, g.Setup = w.fillCommand(g.Run, values), w.fillCommand(g.Setup, values)
			g.Files, g.Of = globs(g.Files), globs(g.Of)
			g.Times = g.Times.filled(values)
			g.Rounds, g.Ambiguity, g.Weights = g.Rounds.filled(values), g.Ambiguity.filled(values), g.Weights.filled(values)
		}
		return out
	}
	w.Phases = slices.Clone(w.Phases)
	for i := range w.Phases {
		p := &w.Phases[i]
		p.Produces, p.Changes.Files = globs(p.Produces), globs(p.Changes.Files)
		p.Entry, p.Gates = gates(p.Entry), gates(p.Gates)
		p.Name, p.Brief = w.fillText(p.Name, values), w.fillText(p.Brief, values)
	}
	w.Roles = slices.Clone(w.Roles)
	for i := range w.Roles {
		w.Roles[i].Value.Brief = w.fillText(w.Roles[i].Value.Brief, values)
	}
	w.Task, w.Rails.Plan.Files = globs(w.Task), globs(w.Rails.Plan.Files)
	return w
}

// void says that a command is an optional input alone, whose check does not apply.
func (w Workflow) void(run string, values map[string]string) bool {
	m := reference.FindStringSubmatch(run)
	if len(m) == 0 || m[0] != strings.TrimSpace(run) {
		return false
	}
	in, _ := w.Inputs.Get(m[1])
	return in.Optional && values[m[1]] == NotApplicable
}

// sample fills a workflow for its checks: what is right with a plain word is right
// with every value. Each has one of its own, as two of them need not be equal.
func (w Workflow) sample() Workflow {
	values := map[string]string{}
	for i, e := range w.Inputs {
		switch values[e.Key] = "x-" + e.Key; {
		case e.Value.Is() == NumberInput:
			values[e.Key] = strconv.Itoa(leastTimes + i)
		case e.Value.Is() == ChoiceInput && len(e.Value.Of) > 0:
			values[e.Key] = e.Value.Of[0]
		}
	}
	return w.Fill(values)
}
