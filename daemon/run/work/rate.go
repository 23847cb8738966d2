package work

import (
	"fmt"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// measured reports failure rates of commands that ran several times.
//
// Source: atdd-kit, seeds 3.8: the failure rate before and after.
func (p *Plan) measured(l events.Language, results []events.GateResult) string {
	text := ""
	for _, r := range results {
		if r.Rate.Runs > 0 {
			text += fmt.Sprintf("  %s: %s\n", r.Gate, phrase.Reason(l, r)) + p.byChance(l, r)
		}
	}
	if text == "" {
		return ""
	}
	return "\n" + phrase.Say(l, "Measured by the daemon:", "デーモンによる実測:") + "\n\n" + text
}

// mostByChance is a probability in percent: above it, byChance warns that a series
// without a failure may be chance.
const mostByChance = 5

// byChance warns that after few failures a later series without one proves little.
func (p *Plan) byChance(l events.Language, r events.GateResult) string {
	chance := rule.ByChance(r.Rate)
	if r.Kind != events.GateFlaky || chance <= mostByChance {
		return ""
	}
	text := "  " + phrase.Say(l, "The failure is rare: without any fix, %d such runs would all pass in about %d of 100 cases.",
		"失敗がまれなため、修正しなくても %d 回すべてが約 %d %% の確率で成功します。", r.Rate.Runs, chance)
	if in, enough := p.gate(string(r.Gate)).Times.Input, rule.EnoughRuns(r.Rate); in != "" && enough <= workflow.MostTimes {
		text += phrase.Say(l, " A new run with --input %s=%d would show more.", "--input %s=%d での新しい実行を推奨します。", in, enough)
	}
	return text + "\n"
}
