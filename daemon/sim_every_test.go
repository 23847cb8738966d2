package daemon

import (
	"fmt"
	"strconv"
	"strings"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

// This file is a workflow with every kind of gate, and what a work tree holds as
// far as its gates look at it.

const everySource = `name: every
version: 1
phases:
  - name: plan
    prompt: plan.md
    entry: [{name: wanted, kind: approval, of: [prd.md]}]
    changes: [plan.md]
    produces: [plan.md]
    gates:
      - {name: clear, kind: interview, role: asker, rounds: 3, ambiguity: 20, weights: {intent: 60, scope: 40}}
      - {name: agreed, kind: consensus, roles: [architect, critic], of: [plan.md]}
      - {name: approved, kind: approval, of: [plan.md]}
  - name: build
    prompt: work.md
    gates:
      - goals
      - protected
      - {name: there, kind: command, run: test -f there}
      - {name: calm, kind: repeat, run: make test, times: 3}
      - {name: shaky, kind: flaky, run: make race, times: 3}
      - {name: inside, kind: scope, files: ["src/**"]}
      - {name: red, kind: red, run: make accept, files: ["tests/**"]}
      - {name: kept, kind: anchor, of: [plan.md]}
      - {name: told, kind: session}
  - name: check
    gates:
      - {name: covered, kind: coverage, role: critic, of: [plan.md]}
      - {name: reviewed, kind: review, role: critic}
    unclean: build
  - {name: use, gates: [{name: used, kind: qa, role: user}], unclean: build}
roles: {asker: {prompt: a.md}, architect: {prompt: a.md}, critic: {prompt: c.md}, user: {prompt: u.md}}
limits: {cycles: 4}
`

// everyFlow is that workflow, and every gate of a run by it.
func everyFlow() (workflow.Workflow, []events.Gate) {
	w, err := workflow.Parse([]byte(everySource))
	if err != nil {
		panic(err)
	}
	gates := []events.Gate{
		{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal},
		{Name: "protected", Kind: events.GateProtected, Role: events.RoleInvariant},
		{Name: "wanted", Kind: events.GateApproval, Phase: "plan"},
		{Name: "plan-files", Kind: events.GateArtifact, Phase: "plan"},
		{Name: "plan-scope", Kind: events.GateScope, Phase: "plan"},
		{Name: "clear", Kind: events.GateInterview, Phase: "plan", Roles: []events.Name{"asker"}, Most: 3, Clear: 20},
		{Name: "agreed", Kind: events.GateConsensus, Phase: "plan", Roles: []events.Name{"architect", "critic"}},
		{Name: "approved", Kind: events.GateApproval, Phase: "plan"},
		{Name: "there", Kind: events.GateCommand, Phase: "build"},
		{Name: "calm", Kind: events.GateRepeat, Phase: "build"},
		{Name: "shaky", Kind: events.GateFlaky, Phase: "build"},
		{Name: "inside", Kind: events.GateScope, Phase: "build"},
		{Name: "red", Kind: events.GateRed, Phase: "build"},
		{Name: "kept", Kind: events.GateAnchor, Phase: "build"},
		{Name: "told", Kind: events.GateSession, Phase: "build"},
		{Name: "covered", Kind: events.GateCoverage, Phase: "check", Roles: []events.Name{"critic"}},
		{Name: "reviewed", Kind: events.GateReview, Phase: "check", Roles: []events.Name{"critic"}},
		{Name: "check-scope", Kind: events.GateScope, Phase: "check"},
		{Name: "used", Kind: events.GateQA, Phase: "use", Roles: []events.Name{"user"}},
		{Name: "use-scope", Kind: events.GateScope, Phase: "use"},
	}
	for i := range gates {
		if gates[i].Role == "" {
			gates[i].Role = events.RoleCheck
		}
	}
	return w, gates
}

// content is what a work tree holds, as far as gates look at it. Its name as a
// tree says all of it.
type content struct {
	Prd, Plan int // versions; plan 0 is not written
	Code      int // version; tests pass from 1 on
	Bad       bad // what is wrong with it
}

// bad names each gate that a content does not pass.
type bad map[events.Name]bool

func (c content) tree() events.Tree {
	t := fmt.Sprintf("prd%d,plan%d,code%d", c.Prd, c.Plan, c.Code)
	for _, g := range spoiled {
		if c.Bad[g] {
			t += "," + string(g)
		}
	}
	return events.Tree(t)
}

// contentOf reads the name of a tree.
func contentOf(t events.Tree) content {
	c := content{Bad: bad{}}
	for i, part := range strings.Split(string(t), ",") {
		switch i {
		case 0:
			c.Prd = numbered(part, "prd")
		case 1:
			c.Plan = numbered(part, "plan")
		case 2:
			c.Code = numbered(part, "code")
		default:
			c.Bad[events.Name(part)] = true
		}
	}
	return c
}

func numbered(part, name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(part, name))
	if err != nil {
		panic(err) // no tree of this model
	}
	return n
}

// spoiled are the gates that a content can fail by itself.
var spoiled = []events.Name{"test", "protected", "there", "calm", "shaky", "inside", "red", "plan-scope"}

// set is what a gate is about, hashed.
func (c content) set(gate events.Name) string {
	switch gate {
	case "wanted":
		return fmt.Sprintf("set-prd%d", c.Prd)
	case "approved", "agreed", "plan-files":
		return fmt.Sprintf("set-plan%d", c.Plan)
	default:
		return "set-" + string(c.tree())
	}
}
