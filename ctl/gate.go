package ctl

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

const maxName = 64

// parseGates reads --gate, --invariant and --artifact in their order. A gate
// without NAME= gets the name of its program; a name that was given twice is an
// error, a derived one gets a number. Whether they are enough for a run is the
// daemon's to say, as the configuration may have more.
func parseGates(goals, invariants []string, artifacts ...string) ([]wire.GateSpec, error) {
	var specs []wire.GateSpec
	var derived []bool
	taken := map[string]bool{}
	read := func(values []string, role events.GateRole) error {
		for _, v := range values {
			name, command, err := splitGate(v)
			if err != nil {
				return err
			}
			if taken[name] {
				return render.GateTwice(name)
			}
			taken[name] = name != ""
			specs = append(specs, wire.GateSpec{Name: events.Name(name), Role: role, Command: command})
			derived = append(derived, name == "")
		}
		return nil
	}
	if err := read(goals, events.RoleGoal); err != nil {
		return nil, err
	}
	if err := read(invariants, events.RoleInvariant); err != nil {
		return nil, err
	}
	for i := range specs {
		if derived[i] {
			specs[i].Name = events.Name(free(deriveName(specs[i].Command), taken))
		}
	}
	return addArtifacts(specs, artifacts, taken)
}

// holdout reads --holdout and --holdout-dir. Each gate has a name, as its command is
// hidden from agents.
func (o *runOptions) holdout(a *app, others []wire.GateSpec) (wire.HoldoutSpec, error) {
	var spec wire.HoldoutSpec
	taken := map[string]bool{}
	for _, g := range others {
		taken[string(g.Name)] = true
	}
	for _, v := range o.holdouts {
		name, command, err := splitGate(v)
		switch {
		case err != nil:
			return spec, err
		case name == "":
			return spec, render.HoldoutName(v)
		case taken[name]:
			return spec, render.GateTwice(name)
		}
		taken[name] = true
		spec.Gates = append(spec.Gates, wire.GateSpec{Name: events.Name(name), Kind: events.GateHoldout, Role: events.RoleGoal, Command: command})
	}
	if spec.Dir = o.holdoutDir; spec.Dir != "" && !filepath.IsAbs(spec.Dir) {
		spec.Dir = filepath.Join(a.Dir, spec.Dir)
	}
	return spec, checkText("the folder of held-out files", spec.Dir)
}

// splitGate divides NAME=CMD. What stands before the first = is a name only
// if it is one word; in upper case it is an assignment that belongs to the
// command, as in CGO_ENABLED=0 go test.
func splitGate(v string) (name, command string, err error) {
	if err := checkText("the gate", v); err != nil {
		return "", "", err
	}
	before, after, found := strings.Cut(v, "=")
	if !found || isAssignment(before) || !isWord(before) {
		if strings.TrimSpace(v) == "" || found && before == "" {
			return "", "", render.GateEmpty(v)
		}
		return "", v, nil
	}
	if !events.Name(before).Valid() {
		return "", "", render.GateName(before, deriveName(before))
	}
	if strings.TrimSpace(after) == "" {
		return "", "", render.GateEmpty(before)
	}
	return before, after, nil
}

// isWord says whether s could be meant as a name, good or bad.
func isWord(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\n/\\'\"`$|&;<>(){}[]*?~#") && s[0] != '-'
}

func isAssignment(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') &&
		strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// deriveName makes a name from the program that a command runs.
func deriveName(command string) string {
	word := ""
	for w := range strings.FieldsSeq(command) {
		if name, _, ok := strings.Cut(w, "="); ok && isAssignment(name) {
			continue
		}
		word = w
		break
	}
	word = strings.ToLower(path.Base(strings.Trim(word, `'"()`)))
	for _, ext := range []string{".sh", ".py", ".js", ".rb", ".pl"} {
		word = strings.TrimSuffix(word, ext)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, word)
	name = strings.Trim(name, "-_")
	if len(name) > maxName-4 {
		name = name[:maxName-4]
	}
	if name == "" {
		return "gate"
	}
	return name
}

// free makes a name that is not taken, and takes it.
func free(name string, taken map[string]bool) string {
	try := name
	for n := 2; taken[try]; n++ {
		try = fmt.Sprintf("%s-%d", name, n)
	}
	taken[try] = true
	return try
}

// parseInputs reads inputs of a workflow: NAME=VALUE.
// shortInputs are inputs that users of a system know as flags.
//
// Source: oh-my-codex, seeds 4.2 and 4.1.2.
var shortInputs = []struct{ flag, input string }{{"quick", "profile=quick"}, {"legacy-ralph", "lane=ralph"}}

func parseInputs(values []string) (map[string]string, error) {
	var out map[string]string
	for _, v := range values {
		name, value, found := strings.Cut(v, "=")
		if !found || !events.Name(name).Valid() {
			return nil, render.BadInput(v)
		}
		if err := checkText("the input", value); err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, render.InputTwice(name)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}
