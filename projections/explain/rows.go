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
	failing := 0
	first := map[string]int{}
	for e := range history {
		switch d := e.Data.(type) {
		case events.AgentEnded:
			claim = d.Claim
		case events.GatesJudged:
			failing = 0
			for _, r := range d.Results {
				failing += r.Failing
			}
		case events.IterationRecorded:
			row := wire.WhyRow{
				Iteration: d.Iteration, Verdict: string(d.Verdict), Tree: string(d.Work), Files: d.Files,
				Failing: failing, Fingerprint: d.Fingerprint, Claim: string(claim),
			}
			if d.Verdict == events.Skipped {
				row.Failing = 0
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
