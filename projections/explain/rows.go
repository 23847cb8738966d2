package explain

import (
	"iter"

	"autopilot/events"
	"autopilot/events/wire"
)

// Rows lists the recorded iterations of a run, oldest first, from its events.
func Rows(history iter.Seq[events.Event]) []wire.WhyRow {
	var rows []wire.WhyRow
	var claim events.Claim
	failing, unknown := 0, true
	first := map[string]int{}
	for e := range history {
		switch d := e.Data.(type) {
		case events.AgentEnded:
			claim = d.Claim
		case events.GatesJudged:
			failing, unknown = failingOf(d.Results)
		case events.IterationRecorded:
			row := wire.WhyRow{
				Iteration: d.Iteration, Verdict: string(d.Verdict), Tree: string(d.Work), Files: d.Files,
				Failing: failing, FailingUnknown: unknown, Fingerprint: d.Fingerprint, Claim: string(claim),
			}
			if d.Verdict == events.Skipped {
				row.Failing, row.FailingUnknown = 0, true
			}
			if d.Fingerprint != "" {
				row.EqualTo = first[d.Fingerprint]
				if row.EqualTo == 0 {
					first[d.Fingerprint] = d.Iteration
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// failingOf counts the failing tests. They are unknown when a gate fails whose
// output no parser knew, and no other gave a number.
func failingOf(results []events.GateResult) (n int, unknown bool) {
	known := true
	for _, r := range results {
		n += r.Failing
		known = known && (r.Verdict == events.Pass || r.FailingSum != "")
	}
	return n, n == 0 && !known
}
