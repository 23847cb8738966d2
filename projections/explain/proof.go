package explain

import (
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// rates say of a run that is done what its tests did before the work and after it,
// where they do not always fail.
//
// Source: atdd-kit, seeds 3.8: the failure rate before and after.
func rates(l events.Language, s run.State) string {
	var out []string
	for _, r := range slices.Concat(s.Last.Seen, s.Last.Results) {
		if r.Kind == events.GateRed && r.After.Runs > 0 {
			out = append(out, say(l, "; gate %s: %s", "。ゲート %s: %s", r.Gate, phrase.Reason(l, r)))
		}
	}
	return strings.Join(out, "")
}

// neverFailed is the gate at which a run is halted as what fails at times was not seen
// to before the work. No more work shows it, but more runs may.
func neverFailed(s run.State, h events.RunHalted) (events.GateResult, bool) {
	for _, r := range s.Last.Results {
		if h.Reason == events.HaltUnverifiable && r.Gate == h.Gate && r.Reason == events.ReasonNotRed && r.Rate.Runs > 0 {
			return r, true
		}
	}
	return events.GateResult{}, false
}

// unverifiable: nobody could look, the tests were never seen red, or a gate could
// not be run.
func unverifiable(l events.Language, s run.State, h events.RunHalted) string {
	if look, ok := lastLook(s, h.Gate); ok {
		return say(l, "halted: gate %s got no valid result from role %s: %s", "停止: ゲート %s で、%s のセッションから有効な結果が得られません: %s",
			h.Gate, look.Role, voidWords(l, look.Void))
	}
	if r, ok := neverFailed(s, h); ok {
		return say(l, "halted: all other gates pass, but at gate %s the tests failed in none of %d runs before the work, so their pass proves nothing; a new run with more repetitions may show a failure",
			"停止: ほかはすべて合格しましたが、ゲート %s のテストは実装前の %d 回で一度も失敗しなかったため、いまの成功は何も証明しません。回数を増やした新しい実行が必要です", r.Gate, r.Rate.Runs)
	}
	if slices.ContainsFunc(s.Last.Results, func(r events.GateResult) bool { return r.Gate == h.Gate && rule.NeverRed(r) }) {
		return say(l, "halted: all other gates pass, but gate %s found no failure of the tests before the work; it needs a commit with the tests alone, and the work in a later commit",
			"停止: ほかはすべて合格しましたが、ゲート %s によると、実装前にテストが失敗した記録がありません。証明するには、実装のないコミットにテストを置き、その後に実装を戻す必要があります", h.Gate)
	}
	return say(l, "halted: gate %s cannot be run, so nothing can be proven", "停止: ゲート %s を実行できないため、何も証明できません", h.Gate)
}

// afterUnverifiable are the commands for a run that needs more runs of its tests, or
// another gate.
func afterUnverifiable(l events.Language, handle string, s run.State) []wire.NextCommand {
	if _, few := neverFailed(s, *s.Halt); few {
		return commands("apctl cancel "+handle, say(l, "close it; then start a new run, with more runs of the tests", "取り消し、テストの回数を増やして新しく実行する"), "apctl diff "+handle, soFar(l))
	}
	return goOnWithFindings(l, handle)
}
