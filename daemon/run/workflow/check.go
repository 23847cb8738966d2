package workflow

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/probe/judge"
)

// ErrInvalid is what every error of Check is.
var ErrInvalid = errors.New("invalid workflow")

// problem is one broken rule, at a path as strictyaml records it.
type problem struct{ path, msg, fix string }

// problems collects broken rules in the order of the schema.
type problems []problem

func (p *problems) add(path, fix, format string, args ...any) {
	*p = append(*p, problem{path, fmt.Sprintf(format, args...), fix})
}

// Check says whether a workflow that was built in code obeys the rules that
// Parse applies to a file. The error names every broken one, a line each, and is
// ErrInvalid.
func (w Workflow) Check() error {
	found := w.problems()
	if len(found) == 0 {
		return nil
	}
	lines := make([]string, len(found))
	for i, p := range found {
		lines[i] = p.msg
		if p.fix != "" {
			lines[i] += ": " + p.fix
		}
	}
	return fmt.Errorf("%w: %s", ErrInvalid, strings.Join(lines, "\n"))
}

func (w Workflow) problems() problems {
	var p problems
	switch w.Version {
	case SchemaVersion:
	case 0:
		p.add("version", fmt.Sprintf("add version: %d", SchemaVersion), "the workflow has no version")
	default:
		p.add("version", fmt.Sprintf("this program reads version %d", SchemaVersion), "version is %d", w.Version)
	}
	p.name("name", "workflow", w.Name)
	one(&p, "language", w.Language, English, Japanese)
	p.inputs(w)
	w = w.sample()
	for i, glob := range w.Task {
		p.glob(index("task", i), glob)
	}
	if w.Resources.Policy != "" {
		one(&p, "resources.policy", w.Resources.Policy, judge.Signals, judge.Tiers)
	}
	if w.Resources.Coordinator != "" {
		one(&p, "resources.coordinator", w.Resources.Coordinator, Always)
	}
	if w.Goals != "" {
		one(&p, "goals", w.Goals, GoalsOptional)
	}
	for i, class := range w.Questions {
		p.name(index("questions", i), "class", class)
	}
	p.series(w)
	p.phases(w)
	p.roles(w)
	p.rails(w.Rails)
	p.fingerprint(w.Fingerprint)
	p.limits(w.Limits, w.Series.On())
	for i, glob := range w.Notes {
		p.notes(index("notes", i), glob)
	}
	return p
}

func (p *problems) name(path, what, name string) {
	switch {
	case name == "":
		p.add(path, "add name: ...", "the %s has no name", what)
	case !events.Name(name).Valid():
		p.add(path, "use up to 64 lower-case letters, digits, - and _", "%q is not a name", name)
	}
}

func (p *problems) rails(r Rails) {
	one(p, "rails.drift", r.Drift, HaltRun)
	one(p, "rails.sameness", r.Sameness, HaltRun)
	p.number("rails.stuck.window", r.Stuck.Window, 2, 100)
	p.number("rails.signature.count", r.Signature.Count, 2, 100)
	one(p, "rails.signature.then", r.Signature.Then, Warn, HaltRun)
	p.number("rails.plan.cycles", r.Plan.Cycles, 0, 100)
	if r.Red != "" {
		one(p, "rails.red", r.Red, HaltRun)
	}
	for i, glob := range r.Plan.Files {
		p.glob(index("rails.plan.files", i), glob)
	}
}

func (p *problems) fingerprint(parts []Part) {
	gates, verdicts := slices.Contains(parts, PartGates), slices.Contains(parts, PartVerdicts)
	switch {
	case !gates && !verdicts:
		p.add("fingerprint", "write fingerprint: [gates, tests, tree]", "the fingerprint lacks gates")
	case verdicts && (gates || slices.Contains(parts, PartTests)):
		p.add("fingerprint", "write fingerprint: [verdicts]", "verdicts replaces gates and tests")
	}
	set(p, "fingerprint", parts, PartGates, PartTests, PartTree, PartVerdicts)
}

// longest bounds every limit in time: a run is not planned for longer.
const longest = 30 * 24 * time.Hour

func (p *problems) limits(l Limits, sessions bool) {
	p.number("limits.iterations", l.Iterations, 1, 10_000)
	p.number("limits.iterations_with_time", l.IterationsWithTime, 1, 10_000)
	p.number("limits.cycles", l.Cycles, 0, 1_000)
	p.effect("limits.agent", l.Agent, sessions)
	p.effect("limits.gate", l.Gate, false)
	p.duration("limits.noop.within", l.Noop.Within)
	if len(l.Noop.Backoff) == 0 {
		p.add("limits.noop.backoff", "write backoff: [1m, 5m, 15m]", "the wait between attempts without a change is missing")
	}
	for i, d := range l.Noop.Backoff {
		if p.duration(index("limits.noop.backoff", i), d); d == 0 {
			p.add(index("limits.noop.backoff", i), "write at least 1s", "the wait is zero")
		}
	}
	p.number("limits.noop.halt", l.Noop.Halt, 1, 100)
	p.number("limits.losses", l.Losses, 1, 100)
	p.duration("limits.answer", l.Answer)
}

// effect checks the limits of one process tree. A session ends by itself, or as a person
// wants it.
func (p *problems) effect(path string, e Effect, endless bool) {
	p.duration(path+".wall", e.Wall)
	p.duration(path+".idle", e.Idle)
	p.duration(path+".grace", e.Grace)
	if e.Wall == 0 && e.Idle == 0 && !endless {
		p.add(path, "set wall or idle", "neither wall nor idle has a limit, so a hanging process would never end")
	}
	if e.Grace == 0 {
		p.add(path+".grace", "write at least 1s", "the grace between TERM and KILL is zero")
	}
}

func (p *problems) notes(at, glob string) {
	clean := strings.TrimSuffix(glob, "/**")
	if glob == "" || path.IsAbs(glob) || strings.HasPrefix(glob, "~") || path.Clean(clean) != clean || clean == "." || strings.HasPrefix(clean, "..") {
		p.add(at, "write a path below the workspace, such as .autopilot/notes/**", "%q is not a glob of the workspace", glob)
		return
	}
	first, _, _ := strings.Cut(clean, "/")
	if strings.ContainsAny(first, "*?[{") {
		p.add(at, "begin with the name of a folder, such as .autopilot/notes/**", "%q would exclude files everywhere in the workspace", glob)
	}
}

func (p *problems) number(path string, n, low, high int) {
	if n < low || n > high {
		p.add(path, fmt.Sprintf("write a number from %d to %d", low, high), "%s is %d", path, n)
	}
}

func (p *problems) duration(path string, d time.Duration) {
	if d < 0 || d > longest {
		p.add(path, "write a duration from 0s to 720h", "%s is %v", path, d)
	}
}

// one checks that a word is among those that are known.
func one[T ~string](p *problems, path string, word T, known ...T) {
	if slices.Contains(known, word) {
		return
	}
	p.add(path, nearest(string(word), texts(known)), "unknown word %q", word)
}

// nearest says which word may have been meant.
func nearest(word string, known []string) string {
	if near := strictyaml.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "none exists yet"
	}
	return "allowed: " + strings.Join(known, ", ")
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

// set checks that each word is known and given once.
func set[T ~string](p *problems, path string, words []T, known ...T) {
	for i, w := range words {
		one(p, index(path, i), w, known...)
		if slices.Contains(words[:i], w) {
			p.add(index(path, i), "remove it", "%q is given twice", w)
		}
	}
}

func index(path string, i int) string { return path + "." + strconv.Itoa(i) }
