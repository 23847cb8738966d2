package workflow_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
)

// long is a workflow of several phases in which every kind of gate stands.
const long = `name: long
version: 1
language: ja
phases:
  - name: clear
    gates:
      - name: interview
        kind: interview
        role: asker
        rounds: 12
        ambiguity: 20
        weights: {goal: 40, constraints: 30, criteria: 30}
  - name: plan
    prompt: plan.md
    role: planner
    entry:
      - {name: wanted, kind: approval, of: [prd.md], assurance: pin}
    changes: ["docs/**"]
    produces: [docs/plan.md]
    limits: {iterations: 5, wall: 30m}
    gates:
      - {name: agreed, kind: consensus, roles: [architect, critic], of: [docs/plan.md]}
      - {name: approved, kind: approval, of: ["docs/*.md"], expires: 48h}
  - name: build
    prompt: build.md
    gates:
      - goals
      - invariants
      - protected
      - {name: clean, kind: command, run: make test, checkout: clean, setup: make deps}
      - {name: calm, kind: repeat, run: make flaky, times: 5}
      - {name: red, kind: red, run: make accept, files: ["tests/**"]}
      - {name: covered, kind: coverage, role: checker, of: [docs/stories.md]}
      - {name: report, kind: artifact, files: [report.md]}
      - {name: plan-kept, kind: anchor, of: [docs/plan.md]}
      - {name: inside, kind: scope, files: ["src/**"]}
  - name: review
    gates: [{name: reviewed, kind: review, role: checker}]
    unclean: plan
  - name: qa
    gates: [{name: used, kind: qa, role: checker, skip: [docs-only]}]
    unclean: plan
roles:
  asker: {prompt: ask.md}
  planner: {agent: [haiku, opus]}
  architect: {prompt: architect.md, agent: opus, wall: 20m}
  critic: {prompt: critic.md}
  checker: {prompt: check.md}
rails: {plan: {cycles: 3}}
fingerprint: [gates, tests, tree]
limits: {cycles: 10}
`

func TestAWorkflowOfManyPhasesIsRead(t *testing.T) {
	t.Parallel()
	w, err := workflow.Parse([]byte(long))
	if err != nil {
		t.Fatal(err)
	}
	if w.Language != workflow.Japanese || len(w.Phases) != 5 || len(w.Roles) != 5 {
		t.Errorf("%+v", w)
	}
	if r, ok := w.Role("planner"); !ok || !cmp.Equal(r.Agents, workflow.Profiles{"haiku", "opus"}) {
		t.Errorf("planner: %+v", r)
	}
	for _, c := range []struct {
		phase string
		all   bool
		globs []string
	}{{"clear", false, nil}, {"plan", false, []string{"docs/**"}}, {"build", true, nil}} {
		ph, _ := w.Phase(c.phase)
		if all, globs := ph.May(); all != c.all || !cmp.Equal(globs, c.globs) {
			t.Errorf("phase %s may change: all %v, %q", c.phase, all, globs)
		}
	}
}

// Each row changes one text of the workflow above.
func TestPhasesRolesAndGatesThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, new string
		want     string
	}{
		"language":                {"language: ja", "language: fr", `unknown word "fr": allowed: en, ja`},
		"edge to nowhere":         {"unclean: plan\n  - name: qa", "unclean: plans\n  - name: qa", `there is no phase "plans": did you mean "plan"?`},
		"edge ahead":              {"unclean: plan\n  - name: qa", "unclean: qa\n  - name: qa", `phase "qa" is not earlier: name a phase that is earlier`},
		"edge to itself":          {"unclean: plan\n  - name: qa", "unclean: review\n  - name: qa", `phase "review" is not earlier`},
		"next is behind":          {"    prompt: build.md\n", "    prompt: build.md\n    next: plan\n", `phase "plan" is not later`},
		"unreachable phase":       {"    prompt: build.md\n", "    prompt: build.md\n    next: qa\n", `phase "review" is never reached`},
		"cycle without limit":     {"limits: {cycles: 10}", "limits: {cycles: 0}", `goes back without a limit: write cycles: 10 below limits`},
		"plan rail without edge":  {"    unclean: plan\n", "", "has no agent that could fix"},
		"missing gates":           {"    produces: [docs/plan.md]\n", "    produces: [docs/plan.md]\n    next: qa\n", `phase "build" is never reached`},
		"unknown kind":            {"kind: repeat", "kind: repeats", `unknown word "repeats": did you mean "repeat"?`},
		"no kind":                 {"kind: repeat, ", "", "the gate has no kind"},
		"missing key":             {", times: 5", "", "a gate of kind repeat needs times"},
		"key of another kind":     {", times: 5", ", times: 5, skip: [docs-only]", "a gate of kind repeat has no skip"},
		"once is no repeat":       {", times: 5", ", times: 1", "times is 1"},
		"gate of another phase":   {"name: calm", "name: review-scope", `there are two gates "review-scope"`},
		"long name of a phase":    {"name: clear\n", "name: " + strings.Repeat("c", 60) + "\n", "is too long for the names"},
		"gate twice":              {"name: calm", "name: clean", `there are two gates "clean"`},
		"gate named as a group":   {"name: calm", "name: goals", `"goals" names a group of gates`},
		"unknown role":            {"role: asker", "role: askers", `there is no role "askers": did you mean "asker"?`},
		"role without prompt":     {"asker: {prompt: ask.md}", "asker: {wall: 1h}", `the role "asker" reviews, and has no prompt`},
		"role of nobody":          {"roles:\n", "roles:\n  idler: {prompt: idle.md}\n", `no phase or gate uses the role "idler"`},
		"role that nobody works":  {"  - name: qa\n", "  - name: qa\n    role: planner\n", "a phase without a prompt has no agent"},
		"a next agent of nobody":  {"agent: opus", "agent: [haiku, opus]", `the role "architect" works in no phase, so its other agents are never used: name one profile`},
		"an agent twice":          {"[haiku, opus]", "[haiku, opus, haiku]", `the profile "haiku" is given twice`},
		"A9: pins what it writes": {"expires: 48h}\n", "expires: 48h}\n      - {name: fixed, kind: anchor, of: [\"docs/p*.md\"]}\n", `this phase writes "docs/p*.md"`},
		"consensus of one":        {"[architect, critic]", "[architect]", "a consensus needs two roles or more"},
		"consensus of the same":   {"[architect, critic]", "[architect, architect]", `"architect" is given twice`},
		"weights":                 {"goal: 40", "goal: 50", "the weights add up to 110"},
		"skip without a reason":   {"skip: [docs-only]", "skip: [trivial]", `unknown word "trivial"`},
		"assurance":               {"assurance: pin", "assurance: pins", `unknown word "pins": did you mean "pin"?`},
		"a gate to hand over that a person has to look at": {"assurance: pin", "assurance: pin, handoff: true", "a gate with assurance pin cannot allow a hand-off"},
		"what no person answers is not handed over":        {"kind: qa, role: checker", "kind: qa, handoff: true, role: checker", "a gate of kind qa has no handoff"},
		"glob outside":           {"of: [prd.md]", "of: [../prd.md]", `"../prd.md" is not a glob of the workspace`},
		"glob that is none":      {"of: [prd.md]", "of: ['[prd.md']", "is not a glob of the workspace"},
		"nobody asks":            {"kind: approval, of: [prd.md], assurance: pin", "kind: review, role: checker", "cannot be an entry condition"},
		"changes of a word":      {`changes: ["docs/**"]`, "changes: some", `unknown word "some": write all, none or a list of globs`},
		"idle with gates of run": {"gates: [{name: used, kind: qa, role: checker, skip: [docs-only]}]\n    unclean: plan", "gates: [goals]", "the phase has no prompt"},
		"prompt of a role":       {"critic: {prompt: critic.md}", "critic: {prompt: a/critic.md}", "is not a prompt file"},
		"many cycles":            {"limits: {cycles: 10}", "limits: {cycles: 5000}", "limits.cycles is 5000"},
		"blank command":          {"run: make flaky", "run: ' '", "the command is blank"},
		"setup in place":         {", checkout: clean, setup", ", setup", "setup needs checkout: clean"},
		"iterations":             {"iterations: 5", "iterations: -1", "limits.iterations is -1"},
		"empty list":             {"of: [prd.md]", "of: []", "the list is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := strings.ReplaceAll(long, tt.old, tt.new)
			if src == long {
				t.Fatalf("%q is not in the workflow", tt.old)
			}
			_, err := workflow.Parse([]byte(src))
			var e *strictyaml.Error
			if !errors.As(err, &e) || !strings.Contains(e.Error(), tt.want) || e.Line < 1 {
				t.Errorf("want %q in\n%v", tt.want, err)
			}
		})
	}
}

// S31: the final gate is never skipped.
func TestWhatIsProvenInAnEarlierPhaseIsProvenAgainAtTheEnd(t *testing.T) {
	t.Parallel()
	const look = "  - {name: look, unclean: work, gates: [{name: seen, kind: review, role: r}%s]}\nroles: {r: {prompt: r.md}}\nlimits: {cycles: 1}\n"
	for name, tt := range map[string]struct {
		work, look string   // gates
		want       []string // of the last phase
	}{
		"all of them":                    {"goals, invariants, protected", "", []string{"goals again", "invariants again", "protected again", "seen"}},
		"invariants in any case":         {"goals", "", []string{"goals again", "invariants again", "seen"}},
		"none that it has already":       {"goals, protected", ", protected, goals", []string{"invariants again", "seen", "protected", "goals"}},
		"without goals nothing is added": {"invariants, protected", "", []string{"seen"}},
		"goals at the end alone":         {"protected", ", goals", []string{"invariants again", "protected again", "seen", "goals"}},
	} {
		src := "name: w\nversion: 1\nphases:\n  - {name: work, prompt: w.md, gates: [" + tt.work + "]}\n" + strings.Replace(look, "%s", tt.look, 1)
		w, err := workflow.Parse([]byte(src))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		linted, found := workflow.Lint([]byte(src))
		if len(found) > 0 || !cmp.Equal(w, linted) {
			t.Errorf("%s: lint reads another one: %v %s", name, found, cmp.Diff(w, linted))
		}
		var got []string
		for _, g := range w.Phases[1].Gates {
			text := string(g.Group) + g.Name
			if g.Again {
				text += " again"
			}
			got = append(got, text)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	one, err := workflow.Parse([]byte("name: w\nversion: 1\nphases: [{name: work, prompt: w.md, gates: [goals]}]\n"))
	if err != nil || len(one.Phases[0].Gates) != 1 {
		t.Errorf("a single phase has what its file says: %+v %v", one.Phases, err)
	}
}

// A claim without evidence proves nothing, and what holds where nothing was done
// does not either.
func TestAWorkflowNeedsAGateThatWorkHasToOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		gates string
		ok    bool
	}{
		"its own word":         {"{name: s, kind: session}", false},
		"nothing else changed": {"{name: s, kind: scope, files: [x]}", false},
		"nothing was changed":  {"protected, invariants, {name: k, kind: anchor, of: [x]}", false},
		"what is wanted":       {"{name: i, kind: interview, role: r, rounds: 3, ambiguity: 20, weights: {goal: 100}}", false},
		"goals":                {"goals", true},
		"a command":            {"{name: s, kind: session}, {name: c, kind: command, run: make}", true},
		"a file":               {"{name: f, kind: artifact, files: [x]}", true},
		"another session":      {"{name: v, kind: review, role: r}", true},
		"a person":             {"{name: p, kind: approval, of: [x]}", true},
	} {
		src := "name: w\nversion: 1\nphases: [{name: work, prompt: p.md, gates: [" + tt.gates + "]}]\n"
		if strings.Contains(tt.gates, "role: r") {
			src += "roles: {r: {prompt: r.md}}\n"
		}
		_, err := workflow.Parse([]byte(src))
		if says := err != nil && strings.Contains(err.Error(), "no gate proves the work"); says == tt.ok || tt.ok && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
