package wire

import "autopilot/events"

// SessionReport is the outcome record of a session in the agent's own words: the member
// session of a result file or delivery. Every number is required.
//
// Source: session-orchestrator, seeds 2.9; Q20: typed, nothing is coerced.
type SessionReport struct {
	AgentSummary *struct {
		Complete *int `json:"complete"`
		Partial  *int `json:"partial"`
		Failed   *int `json:"failed"`
		Spiral   *int `json:"spiral"`
	} `json:"agent_summary"`
	Effectiveness *struct {
		PlannedIssues *int `json:"planned_issues"`
		Completed     *int `json:"completed"`
		Carryover     *int `json:"carryover"`
	} `json:"effectiveness"`
}

// SessionReportForm is an example of a report.
const SessionReportForm = `{"agent_summary":{"complete":3,"partial":0,"failed":0,"spiral":0},` +
	`"effectiveness":{"planned_issues":3,"completed":3,"carryover":0}}`

// mostOfReport bounds each number of a report.
const mostOfReport = 1_000_000

// ReadSessionReport reads a report strictly, as ReadExactly does.
func ReadSessionReport(b []byte) (events.SessionReport, *Error) {
	var r SessionReport
	if err := ReadExactly(b, &r); err != nil {
		return events.SessionReport{}, err
	}
	return r.Event()
}

// Event converts the report for events.
func (r SessionReport) Event() (events.SessionReport, *Error) {
	out := events.SessionReport{V: 1}
	a, e := r.AgentSummary, r.Effectiveness
	if a == nil || e == nil {
		return events.SessionReport{}, Errorf(Usage, "session lacks agent_summary or effectiveness").WithHint("it is as %s", SessionReportForm)
	}
	for _, n := range []struct {
		name string
		from *int
		to   *int
	}{
		{"agent_summary.complete", a.Complete, &out.Complete},
		{"agent_summary.partial", a.Partial, &out.Partial},
		{"agent_summary.failed", a.Failed, &out.Failed},
		{"agent_summary.spiral", a.Spiral, &out.Spiral},
		{"effectiveness.planned_issues", e.PlannedIssues, &out.Planned},
		{"effectiveness.completed", e.Completed, &out.Completed},
		{"effectiveness.carryover", e.Carryover, &out.Carryover},
	} {
		switch {
		case n.from == nil:
			return events.SessionReport{}, Errorf(Usage, "session lacks %s", n.name).WithHint("it is as %s", SessionReportForm)
		case *n.from < 0 || *n.from > mostOfReport:
			return events.SessionReport{}, Errorf(Usage, "%s of session is %d, want 0 to %d", n.name, *n.from, mostOfReport)
		}
		*n.to = *n.from
	}
	return out, nil
}
