package gate

import (
	"maps"
	"slices"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Anchor is the verdict on files that a person approved: content by path, as it
// was approved and as it is. Each file that was changed, removed or added among
// those that the globs match breaks it.
//
// Source: atdd-kit, seeds 3.6 AL-2.
func Anchor(name events.Name, globs []string, approved, now map[string]string) (events.GateResult, Texts) {
	r := events.GateResult{
		Gate: name, Kind: events.GateAnchor, Role: events.RoleCheck, Verdict: events.Pass, Reason: events.ReasonUnchanged, Exit: -1,
	}
	var broken []string
	for _, p := range slices.Sorted(maps.Keys(approved)) {
		if now[p] != approved[p] {
			broken = append(broken, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if _, ok := approved[p]; !ok {
			broken = append(broken, p)
		}
	}
	switch {
	case len(broken) > 0:
		r.Reason = events.ReasonPinChanged
	case len(approved) == 0:
		r.Reason, broken = events.ReasonMissing, globs
	default:
		return r, Texts{}
	}
	r.Verdict = events.Fail
	text := "These files were approved and must not change. Put them back as they were approved:\n" + NamedList(broken)
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Files: linesOf(broken), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}
