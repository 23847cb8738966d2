package phrase

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
)

// Cost is what a sum cost. It never hides that a part is not known, or was
// computed from a table of prices.
func Cost(l events.Language, s wire.UsageSum) string {
	if s.NoCost > 0 && s.MicroUSD == 0 {
		return Say(l, "unknown", "不明")
	}
	t := atLeast(s.NoCost) + USD(s.MicroUSD)
	switch {
	case s.Computed > 0 && s.Computed+s.NoCost >= s.Agents:
		t += Say(l, " (computed)", "(計算値)")
	case s.Computed > 0:
		t += Say(l, " (part computed)", "(一部計算値)")
	}
	return t
}

// TokensUsed are the tokens of a sum, without the word.
func TokensUsed(l events.Language, s wire.UsageSum) string {
	if s.NoTokens > 0 && s.Tokens == 0 {
		return Say(l, "unknown", "不明")
	}
	return atLeast(s.NoTokens) + Number(s.Tokens)
}

func atLeast(unknown int) string {
	if unknown > 0 {
		return ">= "
	}
	return ""
}

// Used is what one agent used: "12.3k tokens, $0.42"; empty where nothing is
// known, or nothing was used.
func Used(l events.Language, u events.Usage) string {
	var parts []string
	if n := u.Tokens(); n > 0 {
		parts = append(parts, Tokens(l, n))
	}
	switch {
	case u.CostFrom == events.Computed:
		parts = append(parts, USD(u.MicroUSD)+Say(l, " (computed)", "(計算値)"))
	case u.CostFrom == events.Reported || u.MicroUSD > 0:
		parts = append(parts, USD(u.MicroUSD))
	case len(parts) > 0:
		parts = append(parts, Say(l, "cost unknown", "費用不明"))
	}
	return strings.Join(parts, Say(l, ", ", "、"))
}
