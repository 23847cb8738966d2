package rule_test

import (
	"math"
	"testing"

	"autopilot/events"
	"autopilot/projections/rule"
)

func TestFewFailuresMakeALaterSeriesProveLittle(t *testing.T) {
	t.Parallel()
	for r, want := range map[events.Rate]struct{ chance, enough int }{
		{Failed: 0, Runs: 20}:  {100, 60},
		{Failed: 1, Runs: 20}:  {36, 60},
		{Failed: 2, Runs: 20}:  {12, 30},
		{Failed: 3, Runs: 20}:  {4, 20},
		{Failed: 3, Runs: 10}:  {3, 10},
		{Failed: 20, Runs: 20}: {0, 3},
		{Failed: 1, Runs: 2}:   {25, 6},
		{Failed: 3, Runs: 7}:   {2, 7},
		{}:                     {100, 0},
	} {
		if chance, enough := rule.ByChance(r), rule.EnoughRuns(r); chance != want.chance || enough != want.enough {
			t.Errorf("%+v: %d %%, %d runs, want %+v", r, chance, enough, want)
		}
	}
	for n := 2; n <= 50; n++ { // so many runs are enough at that rate
		for failed := 1; failed <= n; failed++ {
			runs := rule.EnoughRuns(events.Rate{Failed: failed, Runs: n})
			if chance := math.Pow(1-float64(failed)/float64(n), float64(runs)); chance > 0.05 {
				t.Fatalf("%d of %d: %d runs, %f", failed, n, runs, chance)
			}
		}
	}
}
