package workflow_test

import (
	"slices"
	"testing"

	"autopilot/daemon/run/workflow"
)

// Seeds 4.1.1 and 4.1.2: the phases in their order, the ways back, and the bounds: ten
// cycles (O1, Q45), and three equal failures of a plan that did not change (Q44).
func TestTheBoundsOfOmx(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"omx":       {"deep-interview", "ralplan", "${{lane}}", "code-review", "ultraqa"},
		"omx-ralph": {"ralplan", "ralph", "code-review"},
	} {
		w, _, err := workflow.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		var phases []string
		for _, ph := range w.Phases {
			phases = append(phases, ph.Name)
			if looks := ph.Name == "code-review" || ph.Name == "ultraqa"; looks != (ph.Unclean == "ralplan") {
				t.Errorf("%s: from %s unclean work goes to %q", name, ph.Name, ph.Unclean)
			}
		}
		if !slices.Equal(phases, want) || w.Limits.Cycles != 10 || w.Rails.Plan.Cycles != 3 {
			t.Errorf("%s: phases %q, %d cycles, %d with one plan", name, phases, w.Limits.Cycles, w.Rails.Plan.Cycles)
		}
	}
}
