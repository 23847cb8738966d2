package rule

import (
	"time"

	"autopilot/events"
)

// Noop reports whether an attempt was none: nothing changed, and the agent
// failed or ended within the given time of activity. It counts as no iteration.
// An agent that was stopped on request or lost is judged elsewhere, and is never
// a no-op.
func Noop(changed bool, outcome events.Outcome, exit int, active, within time.Duration) bool {
	if changed || outcome == events.Stopped || outcome == events.Lost {
		return false
	}
	return outcome != events.Exited || exit != 0 || active <= within
}

// Backoff is the wait after the n-th no-op in a row, n from 1; the last step
// repeats. Without steps, or for n under 1, it is zero.
func Backoff(n int, steps []time.Duration) time.Duration {
	if n < 1 || len(steps) == 0 {
		return 0
	}
	return steps[min(n, len(steps))-1]
}
