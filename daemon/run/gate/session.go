package gate

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Session is a gate that passes when the session that worked has told how it
// went, and no kill switch fires on that.
//
// Source: session-orchestrator, seeds 2.1.4 rows 7 to 10.
type Session struct {
	Name   events.Name
	Limits rule.SessionLimits
}

// Judge is the verdict on a session that has ended. bad says why what it told of
// itself could not be read; then it is as if it had told nothing.
func (g Session) Judge(end rule.SessionEnd, bad string) (events.GateResult, Texts) {
	v := rule.Session(end, g.Limits)
	if v.Reason == events.ReasonNoReport && bad != "" {
		v.Reason = events.ReasonBadReport
	}
	r := events.GateResult{
		Gate: g.Name, Kind: events.GateSession, Role: events.RoleCheck, Verdict: events.Fail, Reason: v.Reason, Exit: -1,
		Used: v.Used, Of: v.Of, Limit: v.Limit,
	}
	text := sessionText(r, end.Report, bad)
	if v.Reason == events.ReasonReported {
		r.Verdict = events.Pass
		return r, Texts{Excerpt: text}
	}
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Excerpt: text}
}

// sessionText is the evidence of a pass, or the finding, with what was compared.
func sessionText(r events.GateResult, report events.SessionReport, bad string) string {
	switch r.Reason {
	case events.ReasonNoReport:
		return "The result has no report of the session. Write the member session of your result.\n"
	case events.ReasonBadReport:
		return "The member session of the result cannot be read: " + strings.TrimSpace(bad) + "\n"
	case events.ReasonStall:
		return fmt.Sprintf("The session made no progress for %v before its end; the limit is %v.\n",
			time.Duration(r.Used)*time.Second, time.Duration(r.Limit)*time.Second)
	case events.ReasonFailedWave:
		if r.Used == 0 {
			return "The session failed, and reported nothing.\n"
		}
	default:
	}
	return fmt.Sprintf("Of its tasks %d are complete, %d partial, %d failed and %d in a spiral; of %d planned issues %d are completed and %d carried over.\n",
		report.Complete, report.Partial, report.Failed, report.Spiral, report.Planned, report.Completed, report.Carryover)
}
