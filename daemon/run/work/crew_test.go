package work

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

func crewFlow(t *testing.T, source string) workflow.Workflow {
	t.Helper()
	w, err := workflow.Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const crewed = `name: crewed
version: 1
phases:
  - {name: plan, prompt: p.md, role: planner, produces: [plan.md]}
  - {name: build, prompt: b.md, role: coder, gates: [goals]}
  - {name: review, gates: [{name: reviewed, kind: review, role: critic}], unclean: build}
roles:
  planner: {agent: small}
  coder: {agent: [small, big]}
  critic: {prompt: c.md, agent: codex}
limits: {cycles: 2}
`

var crewAgents = agent.Overrides{
	"small": {Command: rule.Command{Text: "./small.sh"}, Env: map[string]string{"KEY": "of small"}, Stream: stream.Claude},
	"big":   {Command: rule.Command{Argv: []string{"./big.sh"}}, Env: map[string]string{"BIG_API_KEY": "k-0123456789abcdef"}},
}

func hiredFor(t *testing.T, flow workflow.Workflow, spec stored.Spec) *Plan {
	t.Helper()
	p := &Plan{Spec: spec, Flow: flow, Secret: Secret{AgentEnv: []string{"HOME=/h", "KEY=of the caller"}}}
	if err := p.hire(crewAgents); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryProfileOfAWorkflowIsStoredWithTheRun(t *testing.T) {
	t.Parallel()
	p := hiredFor(t, crewFlow(t, crewed), stored.Spec{Agent: stored.Agent{Profile: "claude", Model: "m"}})
	var names []string
	for _, a := range p.Spec.Crew {
		names = append(names, a.Profile)
		if len(a.Argv) == 0 || len(a.Shape) == 0 || a.Account == "" {
			t.Errorf("%+v", a)
		}
	}
	if !slices.Equal(names, []string{"small", "big", "codex"}) {
		t.Errorf("stored %v", names)
	}
	if p.Spec.Agent.Profile != "" || p.Own.account != "" {
		t.Errorf("nobody needs the agent of the run, and it is %+v", p.Spec.Agent)
	}
	crews, idle := p.facts()
	hand := func(name string) events.Hand {
		return events.Hand{Agent: events.Name(name), Account: p.Members[name].account}
	}
	want := []events.Crew{
		{Role: "planner", Phases: []events.Name{"plan"}, Hands: []events.Hand{hand("small")}},
		{Role: "coder", Phases: []events.Name{"build"}, Hands: []events.Hand{hand("small"), hand("big")}},
		{Role: "critic", Hands: []events.Hand{hand("codex")}},
	}
	if d := cmp.Diff(want, crews); d != "" || !slices.Equal(idle, []events.Name{"review"}) {
		t.Errorf("idle %v, crews %s", idle, d)
	}
	if p.Members["small"].account == p.Members["big"].account {
		t.Error("both work on one account")
	}

	again := &Plan{Spec: p.Spec, Flow: p.Flow, Secret: p.Secret}
	if err := again.readMembers(); err != nil {
		t.Fatal(err)
	}
	small, big := again.agent("small"), again.agent("big")
	if small.format() != stream.Claude || big.format() != stream.Text || again.agent("") != again.Own {
		t.Error("an agent prints as another one does")
	}
	env, call := again.env(small)
	if agent.Lookup(env, "KEY") != "" || !slices.Equal(call, []string{"KEY=of small"}) {
		t.Errorf("small: %v %v", env, call)
	}
	if env, _ := again.env(big); agent.Lookup(env, "KEY") != "of the caller" {
		t.Errorf("big: %v", env)
	}
	if secrets := again.secrets(); !slices.Contains(secrets, "BIG_API_KEY=k-0123456789abcdef") {
		t.Errorf("%v", secrets)
	}
	if a := AgentOf(p.Spec, "big"); a.Profile != "big" || AgentOf(p.Spec, "").Profile != "" {
		t.Errorf("%+v", a)
	}
}

func TestWhereAChatWorksAgentsOnlyLook(t *testing.T) {
	t.Parallel()
	p := hiredFor(t, crewFlow(t, crewed), stored.Spec{Driver: events.DriverSession})
	crews, _ := p.facts()
	if len(crews) != 1 || crews[0].Role != "critic" || len(p.Spec.Crew) != 1 {
		t.Errorf("%+v", crews)
	}
}

func TestARunNeedsAnAgentOfItsOwnOnlyWhereItsWorkflowNamesNone(t *testing.T) {
	t.Parallel()
	flow := crewFlow(t, crewed)
	without := func(role string) workflow.Workflow {
		w := flow
		w.Roles = slices.Clone(flow.Roles)
		for i := range w.Roles {
			if w.Roles[i].Key == role {
				w.Roles[i].Value.Agents = nil
			}
		}
		return w
	}
	plain, _, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flow   workflow.Workflow
		driver events.Driver
		want   string // empty: none needed
	}{
		"all are named":          {flow: flow},
		"who works is not":       {flow: without("coder"), want: "no agent is given, and workflow crewed names none for phase build"},
		"who looks is not":       {flow: without("critic"), want: "no agent is given, and workflow crewed names none for gate reviewed"},
		"nobody is":              {flow: plain, want: "no agent is given"},
		"a chat works":           {flow: without("coder"), driver: events.DriverSession},
		"a chat, and who looks?": {flow: without("critic"), driver: events.DriverSession, want: "gate reviewed needs a reviewer"},
	} {
		err := checkAgent(stored.Spec{Driver: c.driver}, c.flow)
		var e *wire.Error
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &e) || !strings.Contains(e.Message, c.want) || e.Hint == "") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAProfileThatCannotBeUsedIsRefusedWithTheRoleThatNamesIt(t *testing.T) {
	t.Parallel()
	flow := crewFlow(t, strings.Replace(crewed, "[small, big]", "[small, bigg]", 1))
	p := &Plan{Flow: flow}
	var e *wire.Error
	if err := p.hire(crewAgents); !errors.As(err, &e) || e.Message != `role coder: there is no agent "bigg"` || !strings.Contains(e.Hint, "did you mean big?") {
		t.Errorf("%v %+v", err, e)
	}
	w := New(Config{})
	err := w.CheckBudget(order.Order{MaxTokens: 1}, crewFlow(t, crewed), crewAgents, nil)
	if !errors.As(err, &e) || e.Message != "--max-tokens cannot be enforced: agent big of role coder does not report how many tokens it uses" {
		t.Errorf("%v", err)
	}
}
