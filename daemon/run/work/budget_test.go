package work

import (
	"errors"
	"strings"
	"testing"

	"autopilot/daemon/agent"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
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
	usd, tokens, turns := order.Order{MaxMicroUSD: 1}, order.Order{MaxTokens: 1}, order.Order{MaxTurns: 1}
	for name, c := range map[string]struct {
		order      order.Order
		agent      stored.Agent
		day        []DayLimit
		want, hint string // empty: accepted
	}{
		"reported":             {order: usd, agent: stored.Agent{Profile: "claude"}},
		"tokens of codex":      {order: tokens, agent: stored.Agent{Profile: "codex"}},
		"computed":             {order: usd, agent: stored.Agent{Profile: "codex", Model: "gpt-5"}},
		"it names its model":   {order: usd, agent: stored.Agent{Profile: "gemini"}},
		"no price":             {usd, stored.Agent{Profile: "codex", Model: "gpt-x"}, nil, "--max-usd cannot be enforced: agent codex does not report what it costs, and the price of gpt-x is not known", "prices of gpt-x"},
		"no model":             {usd, stored.Agent{Profile: "codex"}, nil, "the price of a model that it does not name is not known", "--model"},
		"a command":            {tokens, stored.Agent{Command: "x"}, nil, "--max-tokens cannot be enforced: the command does not report how many tokens it uses", "agents.NAME.reports"},
		"a mute agent":         {tokens, stored.Agent{Profile: "goose"}, nil, "agent goose does not report", "docs/agents.md"},
		"an own one":           {order: tokens, agent: stored.Agent{Profile: "mine"}},
		"tokens of an own one": {tokens, stored.Agent{Profile: "costs"}, nil, "agent costs does not report how many tokens it uses", "agents.NAME.reports"},
		"cost of an own one":   {order: usd, agent: stored.Agent{Profile: "costs"}},
		"turns":                {order: turns, agent: stored.Agent{Profile: "codex"}},
		"turns of a command":   {turns, stored.Agent{Command: "x"}, nil, "--max-turns cannot be enforced: the command does not report how many turns it takes", "docs/agents.md"},
		"a script":             {order: usd, agent: stored.Agent{Script: "x"}, day: []DayLimit{{Kind: events.LimitDayCost}}},
		"a limit of the day": {
			order.Order{},
			stored.Agent{Profile: "mute"},
			[]DayLimit{{events.LimitDayHours, "limits.day.hours", "f"}, {events.LimitDayCost, "limits.day.usd", "/u.yaml"}},
			"limits.day.usd cannot be enforced: agent mute does not report what it costs", "take limits.day.usd out of /u.yaml",
		},
		"hours":    {agent: stored.Agent{Command: "x"}, day: []DayLimit{{Kind: events.LimitDayHours}}},
		"no agent": {usd, stored.Agent{}, nil, "no agent is given", ""},
	} {
		c.order.Spec.Agent, c.order.Env = c.agent, []string{"HOME=/h"}
		err := w.CheckBudget(c.order, shipped, agents, c.day)
		var e *wire.Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.As(err, &e) || e.Code != wire.Usage || !strings.Contains(e.Message, c.want) || !strings.Contains(e.Hint, c.hint)):
			t.Errorf("%s: %v (%+v), want %q and %q", name, err, e, c.want, c.hint)
		}
	}
}
