package work

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// The bounds of a gate's texts.
const (
	maxGlobs     = 32
	maxGlobBytes = 4 << 10
)

// checkGates refuses gates that cannot prove a task.
func checkGates(gates []stored.Gate, held int, flow workflow.Workflow) error {
	goals := 0
	seen := map[events.Name]bool{}
	for _, g := range (&Plan{Flow: flow}).declares() {
		seen[g.Name] = true
	}
	for _, g := range gates {
		switch {
		case !g.Name.Valid():
			return wire.Errorf(wire.Usage, "gate name %q: use letters a-z, digits, - and _", g.Name)
		case g.Name == gate.ProtectedName:
			return wire.Errorf(wire.Usage, "gate name %q is taken by the gate for pinned files", g.Name)
		case g.Name == gate.GitName:
			return wire.Errorf(wire.Usage, "gate name %q is taken by the gate for the rules of git", g.Name)
		case seen[g.Name]:
			return wire.Errorf(wire.Usage, "gate name %q is given twice, or is one of workflow %s", g.Name, flow.Name)
		case g.Role != events.RoleGoal && g.Role != events.RoleInvariant:
			return wire.Errorf(wire.Usage, "gate %s: role %q is neither goal nor invariant", g.Name, g.Role)
		}
		if err := checkGate(g); err != nil {
			return err
		}
		seen[g.Name] = true
		if g.Role == events.RoleGoal {
			goals++
		}
	}
	if goals+held == 0 && flow.NeedsGoals() {
		return wire.Errorf(wire.Usage, "the run has no gate, so nothing can prove the task").
			WithHint("give at least one --gate NAME=CMD that fails now and passes when the task is done, or write gates with apctl init")
	}
	return nil
}

// hear drops gates of the settings that no phase of the workflow judges: they would only
// seem to hold. It refuses typed ones.
func (p *Plan) hear(standing []events.Name) error {
	var heard []stored.Gate
	for _, g := range p.Spec.Gates {
		switch {
		case p.Flow.Judges(g.Role):
			heard = append(heard, g)
		case !slices.Contains(standing, g.Name):
			return wire.Errorf(wire.Usage, "no phase of workflow %s judges %ss of the run, so gate %s would prove nothing", p.Flow.Name, g.Role, g.Name).
				WithHint("leave it out, or run a workflow with such a phase; apctl workflow show %s   lists its gates", p.Flow.Name)
		}
	}
	p.Spec.Gates = heard
	return nil
}

// checkGate refuses a gate that does not fit its kind.
func checkGate(g stored.Gate) error {
	switch {
	case isCommand(g):
		if strings.TrimSpace(g.Command) == "" || strings.ContainsRune(g.Command, 0) {
			return wire.Errorf(wire.Usage, "gate %s has no usable command", g.Name)
		}
		if len(g.Files) > 0 {
			return wire.Errorf(wire.Usage, "gate %s has a command and files; give one of the two", g.Name)
		}
		return nil
	case g.Kind == events.GateArtifact:
		return checkArtifact(g)
	}
	return wire.Errorf(wire.Usage, "gate %s: kind %q is not known", g.Name, g.Kind)
}

func checkArtifact(g stored.Gate) error {
	switch {
	case g.Command != "":
		return wire.Errorf(wire.Usage, "gate %s has a command and files; give one of the two", g.Name)
	case g.Role != events.RoleGoal:
		return wire.Errorf(wire.Usage, "gate %s: a gate of files to write must be a goal", g.Name)
	case len(g.Files) == 0 || len(g.Files) > maxGlobs:
		return wire.Errorf(wire.Usage, "gate %s: give 1 to %d files", g.Name, maxGlobs)
	}
	const example = "write it as docs/report.md, 'docs/*.md' or 'out/**', from the top of the work tree"
	if err := rule.CheckGlobs(g.Files); err != nil {
		return wire.Errorf(wire.Usage, "gate %s: %v", g.Name, err).WithHint(example)
	}
	for _, glob := range g.Files {
		outside := path.IsAbs(glob) || slices.Contains(strings.Split(glob, "/"), "..")
		if outside || len(glob) > maxGlobBytes || !utf8.ValidString(glob) || strings.ContainsFunc(glob, unicode.IsControl) {
			return wire.Errorf(wire.Usage, "gate %s: %.80q cannot name a file of the work tree", g.Name, glob).WithHint(example)
		}
	}
	return nil
}

// checkCheckout refuses an unknown checkout, and one without anything to run in it, from
// the run or the workflow. A workflow without goals may have no gates that need the
// project's set-up.
func checkCheckout(spec stored.Spec, flow workflow.Workflow) error {
	clean := spec.Checkout == events.CheckoutClean || spec.Setup != ""
	switch {
	case spec.Checkout != "" && spec.Checkout != events.CheckoutClean:
		return wire.Errorf(wire.Usage, "checkout %q is not known", spec.Checkout).WithHint("write clean or in-place")
	case spec.Setup != "" && strings.TrimSpace(spec.Setup) == "" || strings.ContainsRune(spec.Setup, 0) || !utf8.ValidString(spec.Setup):
		return wire.Errorf(wire.Usage, "the set-up command cannot be parsed")
	case clean && flow.HasGoals() && !flow.RunsCommands() && !slices.ContainsFunc(spec.Gates, isCommand):
		return wire.Errorf(wire.Usage, "a clean checkout needs a gate with a command").
			WithHint("add --gate NAME=CMD, or leave out --clean and --setup")
	}
	return nil
}

// setupName stands for the set-up in the place of a gate's name. No gate can have that
// name.
const setupName events.Name = "set-up command"

// toRun lists the commands of a run: its gates and the set-up.
func toRun(spec stored.Spec) []stored.Gate {
	list := slices.DeleteFunc(slices.Clone(spec.Gates), func(g stored.Gate) bool { return !isCommand(g) })
	if spec.Setup != "" {
		list = append(list, stored.Gate{Name: setupName, Command: spec.Setup})
	}
	return list
}

// asTyped names the flag that the user typed for a command.
func asTyped(g stored.Gate) string {
	switch {
	case g.Name == setupName:
		return "--setup CMD"
	case g.Role == events.RoleInvariant:
		return "--invariant " + string(g.Name) + "=CMD"
	}
	return "--gate " + string(g.Name) + "=CMD"
}
