package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/gate"
	"autopilot/events"
)

func TestTheCriteriaOfATextAreThoseThatItNames(t *testing.T) {
	t.Parallel()
	text := "# AC1: it starts\nAC-2 it stops, after AC-1. AC3.1 and AC3.2; not VAC4, AC, ACME5, ac6 or AC7x.\n"
	if d := cmp.Diff([]string{"AC1", "AC-2", "AC3.1", "AC3.2"}, gate.Criteria(text)); d != "" {
		t.Error(d)
	}
}

// Seeds 3.4 stage 3: all are covered and none is uncovered. One that is left out
// is not covered.
func TestACriterionThatALookIsSilentOnIsNotCovered(t *testing.T) {
	t.Parallel()
	covered := func(ids ...string) gate.Opinion {
		var o gate.Opinion
		for _, id := range ids {
			o.Criteria = append(o.Criteria, gate.Criterion{ID: id, Covered: true, By: "a test"})
		}
		return o
	}
	for name, tt := range map[string]struct {
		o        gate.Opinion
		approved []string
		want     events.Opinion
	}{
		"every one":                 {covered("AC1", "AC2"), []string{"AC1", "AC2"}, events.Opinion{Covered: 2}},
		"one of two":                {covered("AC1"), []string{"AC1", "AC2"}, events.Opinion{Covered: 1, Uncovered: 1}},
		"otherwise written":         {covered("ac-1", " AC-2 "), []string{"AC1", "AC2"}, events.Opinion{Covered: 2}},
		"others alone":              {covered("login works"), []string{"AC1"}, events.Opinion{Covered: 1, Uncovered: 1}},
		"more than were asked for":  {covered("AC1", "AC2"), []string{"AC1"}, events.Opinion{Covered: 2}},
		"files that name none":      {covered("login works"), nil, events.Opinion{Covered: 1}},
		"nothing, and none is left": {gate.Opinion{}, []string{"AC1"}, events.Opinion{Uncovered: 1}},
	} {
		if d := cmp.Diff(tt.want, tt.o.Of(tt.approved).Sum(nil)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := covered("AC1").Of([]string{"AC1", "AC2"}).List(); got != "[P0] criterion AC2 is not covered\n" {
		t.Errorf("%q", got)
	}
}
