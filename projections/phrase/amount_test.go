package phrase_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/phrase"
)

func TestAmountsAreShort(t *testing.T) {
	t.Parallel()
	tests := []struct {
		of   events.Halt
		n    int64
		want string
	}{
		{events.HaltCost, 0, "$0.00"},
		{events.HaltCost, 421_300, "$0.42"},
		{events.HaltCost, 4_213, "$0.0042"},
		{events.HaltCost, 50_000, "$0.05"},
		{events.HaltCost, 12_345_678, "$12.35"},
		{events.HaltTokens, 950, "950 tokens"},
		{events.HaltTokens, 999_960, "1M tokens"},
		{events.HaltTokens, 12_340, "12.3k tokens"},
		{events.HaltTokens, 1_200_000, "1.2M tokens"},
		{events.HaltTurns, 12, "12 turns"},
	}
	for _, tt := range tests {
		if got := phrase.Amount(events.English, tt.of, tt.n); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.of, tt.n, got, tt.want)
		}
	}
}
