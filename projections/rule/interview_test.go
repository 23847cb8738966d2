package rule_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Seeds 4.2 deep-interview: the threshold ends it, the most rounds are a cap.
func TestAnInterviewGoesOnUntilItIsClearOrTheRoundsAreOver(t *testing.T) {
	t.Parallel()
	at := func(ambiguity int) events.RoleEnded {
		return look("asker", "s", events.Opinion{Ambiguity: ambiguity, Question: "q"})
	}
	for name, tt := range map[string]struct {
		looks []events.RoleEnded
		want  events.Verdict
		round int
		asks  bool
	}{
		"at first":                   {nil, events.Open, 1, false},
		"not clear: a person first":  {[]events.RoleEnded{at(40)}, events.Open, 2, true},
		"at the threshold":           {[]events.RoleEnded{at(40), at(20)}, events.Pass, 0, false},
		"one above it":               {[]events.RoleEnded{at(40), at(21)}, events.Open, 3, true},
		"O39: one answer is not it":  {[]events.RoleEnded{at(40)}, events.Open, 2, true},
		"clear in the last round":    {[]events.RoleEnded{at(40), at(30), at(20)}, events.Pass, 0, false},
		"clear, then less so":        {[]events.RoleEnded{at(20), at(30)}, events.Open, 3, true},
		"the rounds are over":        {[]events.RoleEnded{at(40), at(30), at(25)}, events.Fail, 3, false},
		"not clear, and no question": {[]events.RoleEnded{look("asker", "s", events.Opinion{Ambiguity: 40})}, events.Fail, 1, false},
		"no result counts no round":  {[]events.RoleEnded{at(40), void("asker", events.VoidNoResult)}, events.Open, 2, true},
		"two without a result":       {[]events.RoleEnded{void("asker", events.VoidNoResult), void("asker", events.VoidNoResult)}, events.Unverifiable, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := events.Gate{Name: "g", Kind: events.GateInterview, Roles: []events.Name{"asker"}, Most: 3, Clear: 20}
			got := rule.Looked(g, "s", tt.looks)
			if got.Verdict != tt.want || got.Round != tt.round || (got.Ask != nil) != tt.asks {
				t.Errorf("%s, round %d, asks %v; want %s, %d, %v", got.Verdict, got.Round, got.Ask != nil, tt.want, tt.round, tt.asks)
			}
		})
	}
}

// Seeds 4.2: greenfield goal .40 constraints .30 criteria .30.
func TestAmbiguityIsWhatIsLeftOfWeightedClarity(t *testing.T) {
	t.Parallel()
	weights := map[string]int{"goal": 40, "constraints": 30, "criteria": 30}
	for _, tt := range []struct {
		clarity map[string]int
		want    int
	}{
		{map[string]int{"goal": 100, "constraints": 100, "criteria": 100}, 0},
		{nil, 100},
		{map[string]int{"goal": 90, "constraints": 70, "criteria": 80}, 19},
		{map[string]int{"goal": 80, "constraints": 80, "criteria": 80}, 20},
		{map[string]int{"goal": 80, "constraints": 80, "criteria": 79}, 21}, // 20.3: never rounded to the threshold
		{map[string]int{"goal": 500, "constraints": -5, "other": 100}, 60},
	} {
		if got := rule.Ambiguity(weights, tt.clarity); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.clarity, got, tt.want)
		}
	}
}
