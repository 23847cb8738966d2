package gate

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

// Row compares a row that the agent has named with what the history says; false
// if they agree. A row is no evidence, and nothing in it takes the place of what
// was found: it can only close the gate.
//
// Source: atdd-kit, seeds 3.5 check_red_evidence, with Q22 and Q23 mended, and A30.
func (g Red) Row(row stored.RedRow, h RedHistory) (events.GateResult, Texts, bool) {
	c, what := h.Commit, ""
	switch {
	case row.Commit != c.ID:
		what = fmt.Sprintf("commit %s did not add the tests in their present form", row.Commit)
	case row.Impl == row.Commit:
		what = "impl_sha is the commit of the tests; the work must come after it"
	case row.Impl != "" && !slices.Contains(h.Impl, row.Impl):
		what = fmt.Sprintf("impl_sha %s is not a later commit that changes other files", row.Impl)
	case !slices.ContainsFunc(g.Globs, func(glob string) bool { return rule.GlobMatch(glob, row.File) }):
		what = fmt.Sprintf("at_file %s is not one of the tests (%s)", oneLine(row.File), strings.Join(g.Globs, ", "))
	case !slices.Contains(c.Tests, row.File):
		what = fmt.Sprintf("at_file %s is not added or changed by the commit", oneLine(row.File))
	default:
		return events.GateResult{}, Texts{}, false
	}
	found := fmt.Sprintf("The commit that was found is %s.\n", c)
	if len(h.Impl) > 0 {
		found += "The work is in these commits after it: " + strings.Join(h.Impl[:min(len(h.Impl), namedPaths)], ", ") + "\n"
	}
	r, t := g.rowFails("red does not match the history: " + what + ".\n" + found)
	return r, t, true
}

// BadRow is the verdict on rows that cannot be read.
func (g Red) BadRow(why string) (events.GateResult, Texts) {
	return g.rowFails("red cannot be read: " + why + "\n")
}

func (g Red) rowFails(text string) (events.GateResult, Texts) {
	r := events.GateResult{Gate: g.Name, Kind: events.GateRed, Role: events.RoleCheck, Verdict: events.Fail, Reason: events.ReasonRow, Exit: -1}
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}
