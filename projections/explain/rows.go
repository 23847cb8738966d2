package explain

import (
	"iter"

	"autopilot/events"
	"autopilot/events/wire"
)

// Rows lists the recorded iterations of a run, oldest first, from its events.
func Rows(history iter.Seq[events.Event]) []wire.WhyRow {
	var h History
	for e := range history {
		h.Add(e)
	}
	return h.Rows
}

// failingOf counts the failing tests. They are unknown when a gate fails whose
// output no parser knew, and no other gave a number.
func failingOf(results []events.GateResult) (n int, unknown bool) {
	known := true
	for _, r := range results {
		if r.Kind == events.GateControl {
			continue // it runs gates that passed, and counts no tests of its own
		}
		n += r.Failing
		known = known && (r.Verdict == events.Pass || r.FailingSum != "")
	}
	return n, n == 0 && !known
}
