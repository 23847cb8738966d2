package phrase_test

import (
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

func TestASumNeverHidesWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sum          wire.UsageSum
		cost, tokens string
	}{
		{wire.UsageSum{}, "$0.00", "0"},
		{wire.UsageSum{Agents: 2, MicroUSD: 1_200_000, Tokens: 12_345}, "$1.20", "12.3k"},
		{wire.UsageSum{Agents: 2, MicroUSD: 1_200_000, NoCost: 1, Tokens: 7, NoTokens: 1}, ">= $1.20", ">= 7"},
		{wire.UsageSum{Agents: 2, MicroUSD: 1_200_000, Computed: 2}, "$1.20 (computed)", "0"},
		{wire.UsageSum{Agents: 3, MicroUSD: 1_200_000, Computed: 2}, "$1.20 (part computed)", "0"},
		{wire.UsageSum{Agents: 3, MicroUSD: 1_200_000, Computed: 2, NoCost: 1}, ">= $1.20 (computed)", "0"},
		{wire.UsageSum{Agents: 1, NoCost: 1, NoTokens: 1}, "unknown", "unknown"},
	} {
		if got := phrase.Cost(events.English, tt.sum); got != tt.cost {
			t.Errorf("%+v: cost %q, want %q", tt.sum, got, tt.cost)
		}
		if got := phrase.TokensUsed(events.English, tt.sum); got != tt.tokens {
			t.Errorf("%+v: tokens %q, want %q", tt.sum, got, tt.tokens)
		}
	}
}

func TestWhatAnAgentUsedIsSaidWithItsSource(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]events.Usage{
		"": {}, "12.3k tokens, $0.42": {Input: 12_300, MicroUSD: 420_000, CostFrom: events.Reported},
		"950 tokens, $0.0042 (computed)": {Output: 950, MicroUSD: 4200, CostFrom: events.Computed},
		"950 tokens, cost unknown":       {CacheRead: 950, CostFrom: events.SourceUnknown},
		"$0.00":                          {CostFrom: events.Reported},
	} {
		if got := phrase.Used(events.English, u); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
