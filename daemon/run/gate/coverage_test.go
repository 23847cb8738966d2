package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
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
	sum := func(ids ...string) string { return rule.FailingSum(ids) }
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
		"one of two":                {covered("AC1"), []string{"AC1", "AC2"}, events.Opinion{Covered: 1, Uncovered: 1, UncoveredSum: sum("AC2")}},
		"otherwise written":         {covered("ac-1", " AC-2 "), []string{"AC1", "AC2"}, events.Opinion{Covered: 2}},
		"others alone":              {covered("login works"), []string{"AC1"}, events.Opinion{Covered: 1, Uncovered: 1, UncoveredSum: sum("AC1")}},
		"more than were asked for":  {covered("AC1", "AC2"), []string{"AC1"}, events.Opinion{Covered: 2}},
		"files that name none":      {covered("login works"), nil, events.Opinion{Covered: 1}},
		"nothing, and none is left": {gate.Opinion{}, []string{"AC1"}, events.Opinion{Uncovered: 1, UncoveredSum: sum("AC1")}},
	} {
		if d := cmp.Diff(tt.want, tt.o.Of(tt.approved).Sum(nil)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := covered("AC1").Of([]string{"AC1", "AC2"}).List(); got != "[P0] criterion AC2 is not covered\n" {
		t.Errorf("%q", got)
	}
}

// Lessons A17 and A24: what is not covered is compared with the iteration before;
// another session that writes the same criteria otherwise is no progress.
func TestA24CriteriaThatAreWrittenOtherwiseAreTheSame(t *testing.T) {
	t.Parallel()
	sum := func(ids ...string) string {
		var o gate.Opinion
		for _, id := range ids {
			o.Criteria = append(o.Criteria, gate.Criterion{ID: id})
		}
		return o.Sum(nil).UncoveredSum
	}
	for _, ids := range [][]string{{"AC2", "AC1"}, {"ac-1", " AC-2\n"}, {"AC1", "AC2", "AC-1"}} {
		if sum(ids...) != sum("AC1", "AC2") {
			t.Errorf("%q differ from AC1 and AC2", ids)
		}
	}
	for _, ids := range [][]string{{"AC1"}, {"AC12"}, {"AC1", "AC3"}, {"AC1.2"}, nil} {
		if sum(ids...) == sum("AC1", "AC2") {
			t.Errorf("%q are the same as AC1 and AC2", ids)
		}
	}
}
