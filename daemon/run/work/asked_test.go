package work

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
)

const phased = `name: phased
version: 1
phases:
  - name: plan
    prompt: plan.md
    entry: [{name: wanted, kind: approval, of: [prd.md]}]
    changes: ["docs/**"]
    produces: [docs/plan.md]
    gates: [{name: agreed, kind: consensus, roles: [a, b], of: [docs/plan.md]}]
  - name: build
    prompt: build.md
    gates: [protected, invariants, {name: calm, kind: repeat, run: make t, times: 3}, goals]
  - name: look
    gates: [{name: talked, kind: interview, role: a, rounds: 3, ambiguity: 20, weights: {goal: 100}}]
roles: {a: {prompt: a.md}, b: {prompt: b.md}}
`

func planOf(t *testing.T) *Plan {
	t.Helper()
	w, err := workflow.Parse([]byte(phased))
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{Flow: w, Spec: stored.Spec{Gates: []stored.Gate{
		{Name: "test", Role: events.RoleGoal, Command: "t"},
		{Name: "vet", Role: events.RoleInvariant, Command: "v"},
		{Name: "more", Role: events.RoleGoal, Command: "m"},
	}}}
}

func TestEachMomentIsJudgedByItsOwnGatesInTheirOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at   events.GatesStarted
		want []string
	}{
		"the baseline has those of the run":        {events.GatesStarted{Phase: "plan"}, []string{"test", "vet", "more", "protected"}},
		"the entry what the phase needs":           {events.GatesStarted{Phase: "plan", Entry: true}, []string{"wanted"}},
		"a phase its files, gates and scope":       {events.GatesStarted{Phase: "plan", Iteration: 1}, []string{"plan-files", "agreed", "plan-scope"}},
		"those of the run keep their order":        {events.GatesStarted{Phase: "build", Iteration: 2}, []string{"protected", "test", "vet", "more", "calm"}},
		"the last one has those of the run, again": {events.GatesStarted{Phase: "look", Iteration: 3}, []string{"test", "vet", "more", "protected", "talked", "look-scope"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, a := range planOf(t).gatesOf(tt.at) {
				got = append(got, string(a.Name))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestARunNamesTheGatesOfItsWorkflowWithWhoLooks(t *testing.T) {
	t.Parallel()
	want := []events.Gate{
		{Name: "wanted", Kind: events.GateApproval, Role: events.RoleCheck, Phase: "plan"},
		{Name: "plan-files", Kind: events.GateArtifact, Role: events.RoleCheck, Phase: "plan"},
		{Name: "agreed", Kind: events.GateConsensus, Role: events.RoleCheck, Phase: "plan", Roles: []events.Name{"a", "b"}},
		{Name: "plan-scope", Kind: events.GateScope, Role: events.RoleCheck, Phase: "plan"},
		{Name: "calm", Kind: events.GateRepeat, Role: events.RoleCheck, Phase: "build"},
		{Name: "talked", Kind: events.GateInterview, Role: events.RoleCheck, Phase: "look", Roles: []events.Name{"a"}, Most: 3, Clear: 20},
		{Name: "look-scope", Kind: events.GateScope, Role: events.RoleCheck, Phase: "look"},
	}
	if d := cmp.Diff(want, planOf(t).declares()); d != "" {
		t.Error(d)
	}
}

func TestTheNameOfAGateOfTheWorkflowIsTaken(t *testing.T) {
	t.Parallel()
	p := planOf(t)
	for name, taken := range map[events.Name]bool{"agreed": true, "plan-files": true, "protected": true, "mine": false} {
		gates := []stored.Gate{{Name: name, Role: events.RoleGoal, Command: "t"}}
		if err := checkGates(gates, 0, p.Flow); (err != nil) != taken {
			t.Errorf("gate %s: %v", name, err)
		}
	}
}

// A workflow with its own gates needs no gates of the run. A workflow that judges by
// goals of the run proves nothing without one.
func TestAGoalIsNeededWhereTheWorkflowJudgesByGoals(t *testing.T) {
	t.Parallel()
	goal := stored.Gate{Name: "test", Role: events.RoleGoal, Command: "t"}
	vet := stored.Gate{Name: "vet", Role: events.RoleInvariant, Command: "v"}
	for name, tt := range map[string]struct {
		gates string // of the single phase
		given []stored.Gate
		says  string
	}{
		"goals, and one is given":         {"[goals]", []stored.Gate{goal}, ""},
		"goals, and none is given":        {"[goals, protected]", nil, "the run has no gate, so nothing can prove the task"},
		"goals, and only an invariant is": {"[goals, invariants]", []stored.Gate{vet}, "the run has no gate"},
		"no goals, and none is given":     {"[{name: own, kind: command, run: make t}]", nil, ""},
		"no goals, and an invariant is":   {"[invariants, {name: own, kind: command, run: make t}]", []stored.Gate{vet}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := workflow.Parse([]byte("name: w\nversion: 1\nphases: [{name: a, prompt: a.md, gates: " + tt.gates + "}]\n"))
			if err != nil {
				t.Fatal(err)
			}
			err = checkGates(tt.given, 0, w)
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}
