package rule

import (
	"math"

	"autopilot/events"
)

// ByChance is how likely it is, in percent, that as many runs as in a series would
// all pass if nothing had changed since it: with one failure of twenty 36.
func ByChance(r events.Rate) int {
	if r.Runs <= 0 {
		return 100
	}
	return int(math.Round(100 * math.Pow(1-float64(r.Failed)/float64(r.Runs), float64(r.Runs))))
}

// EnoughRuns is how many runs it takes until that is 5 percent: three times as many
// as it took for one failure.
func EnoughRuns(r events.Rate) int {
	return (3*r.Runs + max(r.Failed, 1) - 1) / max(r.Failed, 1)
}
