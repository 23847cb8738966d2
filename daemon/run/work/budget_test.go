package work

import (
	"errors"
	"strings"
	"testing"

	"autopilot/daemon/agent"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

func TestALimitThatTheAgentCannotKeepIsRefused(t *testing.T) {
	t.Parallel()
	own := rule.Command{Text: "./mine.sh"}
	agents := agent.Overrides{
		"mine": {Command: own, Reports: []string{"tokens"}}, "mute": {Command: own}, "costs": {Command: own, Reports: []string{"cost"}},
	}
	shipped, _, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	w := New(Config{Priced: func(model string) bool { return model == "gpt-5" }})
	usd, tokens, turns := wire.RunSpec{MaxMicroUSD: 1}, wire.RunSpec{MaxTokens: 1}, wire.RunSpec{MaxTurns: 1}
	for name, c := range map[string]struct {
		spec       wire.RunSpec
		agent      wire.AgentSpec
		day        []DayLimit
		want, hint string // empty: accepted
	}{
		"reported":             {spec: usd, agent: wire.AgentSpec{Profile: "claude"}},
		"tokens of codex":      {spec: tokens, agent: wire.AgentSpec{Profile: "codex"}},
		"computed":             {spec: usd, agent: wire.AgentSpec{Profile: "codex", Model: "gpt-5"}},
		"it names its model":   {spec: usd, agent: wire.AgentSpec{Profile: "gemini"}},
		"no price":             {usd, wire.AgentSpec{Profile: "codex", Model: "gpt-x"}, nil, "--max-usd cannot be kept: agent codex does not tell what it costs, and the price of gpt-x is not known", "prices of gpt-x"},
		"no model":             {usd, wire.AgentSpec{Profile: "codex"}, nil, "the price of a model that it does not name is not known", "--model"},
		"a command":            {tokens, wire.AgentSpec{Command: "x"}, nil, "--max-tokens cannot be kept: the command does not tell how many tokens it uses", "agents.NAME.reports"},
		"a mute agent":         {tokens, wire.AgentSpec{Profile: "goose"}, nil, "agent goose does not tell", "docs/agents.md"},
		"an own one":           {spec: tokens, agent: wire.AgentSpec{Profile: "mine"}},
		"tokens of an own one": {tokens, wire.AgentSpec{Profile: "costs"}, nil, "agent costs does not tell how many tokens it uses", "agents.NAME.reports"},
		"cost of an own one":   {spec: usd, agent: wire.AgentSpec{Profile: "costs"}},
		"turns":                {spec: turns, agent: wire.AgentSpec{Profile: "codex"}},
		"turns of a command":   {turns, wire.AgentSpec{Command: "x"}, nil, "--max-turns cannot be kept: the command does not tell how many turns it takes", "docs/agents.md"},
		"a script":             {spec: usd, agent: wire.AgentSpec{Script: "x"}, day: []DayLimit{{Kind: events.LimitDayCost}}},
		"a limit of the day": {
			wire.RunSpec{},
			wire.AgentSpec{Profile: "mute"},
			[]DayLimit{{events.LimitDayHours, "limits.day.hours", "f"}, {events.LimitDayCost, "limits.day.usd", "/u.yaml"}},
			"limits.day.usd cannot be kept: agent mute does not tell what it costs", "take limits.day.usd out of /u.yaml",
		},
		"hours":    {agent: wire.AgentSpec{Command: "x"}, day: []DayLimit{{Kind: events.LimitDayHours}}},
		"no agent": {usd, wire.AgentSpec{}, nil, "no agent is given", ""},
	} {
		c.spec.Agent = c.agent
		err := w.CheckBudget(wire.StartRequest{Spec: c.spec, Env: []string{"HOME=/h"}}, shipped, agents, c.day)
		var e *wire.Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.As(err, &e) || e.Code != wire.Usage || !strings.Contains(e.Message, c.want) || !strings.Contains(e.Hint, c.hint)):
			t.Errorf("%s: %v (%+v), want %q and %q", name, err, e, c.want, c.hint)
		}
	}
}
