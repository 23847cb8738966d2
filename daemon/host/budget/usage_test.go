package budget

import (
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

func TestWhatAnAgentAtWorkHasNotToldIsUnknown(t *testing.T) {
	t.Parallel()
	tokens := events.Usage{Input: 10, TokensFrom: events.Reported}
	priced := events.Usage{Input: 10, TokensFrom: events.Reported, MicroUSD: 20_000, CostFrom: events.Computed}
	for _, c := range []struct {
		name   string
		before *wire.UsageSum
		told   events.Usage
		cost   string
		tokens string
	}{
		{"a cost not told is no cost of zero", nil, tokens, "unknown", "10"},
		{"a sum does not hide that it is open", &wire.UsageSum{MicroUSD: 1_000_000, Tokens: 5, Agents: 1}, tokens, ">= $1.00", "15"},
		{"a computed cost says so", nil, priced, "$0.02 (computed)", "10"},
		{"turns alone tell no tokens", nil, events.Usage{Turns: 1}, "unknown", "unknown"},
		{"a reported cost of zero is one", nil, events.Usage{TokensFrom: events.Reported, CostFrom: events.Reported, Turns: 1}, "$0.00", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := wire.RunView{Usage: c.before}
			AddTold(&v, c.told)
			if got := phrase.Cost(events.English, *v.Usage); got != c.cost {
				t.Errorf("the cost is %q, want %q", got, c.cost)
			}
			if got := phrase.TokensUsed(events.English, *v.Usage); got != c.tokens {
				t.Errorf("the tokens are %q, want %q", got, c.tokens)
			}
		})
	}
}
