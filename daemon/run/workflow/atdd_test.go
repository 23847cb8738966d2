package workflow_test

import (
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

// shippedAtdd are the workflows of atdd-kit's routes that ship.
func shippedAtdd(t *testing.T) map[string]workflow.Workflow {
	t.Helper()
	out := map[string]workflow.Workflow{}
	for _, name := range workflow.Names() {
		if name != "atdd" && !strings.HasPrefix(name, "atdd-") {
			continue
		}
		w, _, err := workflow.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = w
	}
	if len(out) == 0 {
		t.Fatal("none ships")
	}
	return out
}

func kinds(gates []workflow.Gate) (out []events.GateKind) {
	for _, g := range gates {
		if g.Group == "" {
			out = append(out, g.Kind)
		}
	}
	return out
}

// Seeds 3.1 and 3.3: the budget of each step, its anchors in their order, and the
// terms of its gate. Lessons A9 and A12: what changes in a phase is no anchor of it,
// and a design is not judged by code that does not exist yet.
func TestSeeds31TheStepsOfTheStandardRoute(t *testing.T) {
	t.Parallel()
	w := shippedAtdd(t)["atdd"]
	prd, stories := "${{prd}}", "${{dir}}/user-stories.md"
	for _, want := range []struct {
		phase      string
		iterations int
		anchors    []string
		produces   []string
	}{
		{"stories", 4, []string{prd}, []string{stories}},
		{"plan", 4, []string{prd}, []string{"${{dir}}/plan.md", "${{dir}}/acceptance-tests.md"}},
		{"impl", 8, []string{prd, stories}, nil},
		{"handover", 0, []string{prd, stories}, nil},
	} {
		ph, ok := w.Phase(want.phase)
		if !ok {
			t.Errorf("there is no phase %s", want.phase)
			continue
		}
		var anchors []string
		for _, g := range ph.Gates {
			if g.Kind == events.GateAnchor {
				anchors = append(anchors, g.Of...)
			}
		}
		if ph.Limits.Iterations != want.iterations || !slices.Equal(anchors, want.anchors) || !slices.Equal(ph.Produces, want.produces) {
			t.Errorf("%s: %d iterations, anchors %q, produces %q, want %+v", ph.Name, ph.Limits.Iterations, anchors, ph.Produces, want)
		}
		for _, k := range []events.GateKind{events.GateRed, events.GateCoverage, events.GateCommand} { // A12
			if design := want.iterations == 4; design && slices.Contains(kinds(ph.Gates), k) {
				t.Errorf("%s: a design is judged by a gate of kind %s", ph.Name, k)
			}
		}
	}
	impl, _ := w.Phase("impl")
	for _, k := range []events.GateKind{events.GateRed, events.GateCommand, events.GateCoverage} { // AL-3
		if !slices.Contains(kinds(impl.Gates), k) {
			t.Errorf("impl lacks a gate of kind %s", k)
		}
	}
}

// Seeds 3.6 AL-1, lesson A62: exactly three gates are a person's, in each route. Two
// are in the run, the second before anything is built; the merge is none of a run's.
// Lesson A29: no opinion decides, only terms that are seen; AL-5: the rails are those
// of the source.
func TestA62EveryRouteHasItsTwoGatesOfAPerson(t *testing.T) {
	t.Parallel()
	for name, w := range shippedAtdd(t) {
		approvals := 0
		for _, ph := range w.Phases {
			for _, k := range slices.Concat(kinds(ph.Entry), kinds(ph.Gates)) {
				if k == events.GateApproval {
					approvals++
				}
				if k == events.GateReview || k == events.GateConsensus || k == events.GateSession {
					t.Errorf("%s: phase %s is judged by an opinion (%s)", name, ph.Name, k)
				}
			}
			if ph.Changes.All && approvals < 2 {
				t.Errorf("%s: phase %s builds before the second gate", name, ph.Name)
			}
			for _, g := range ph.Gates {
				if strings.Contains(g.Run, "merge") {
					t.Errorf("%s: gate %s merges", name, g.Name)
				}
			}
		}
		if approvals != 2 {
			t.Errorf("%s: %d approvals", name, approvals)
		}
		if w.Rails.Sameness != workflow.HaltRun || w.Rails.Drift != workflow.HaltRun || w.Rails.Stuck.Window != 3 || w.Limits.Cycles == 0 {
			t.Errorf("%s: rails %+v, limits %+v", name, w.Rails, w.Limits)
		}
		if !slices.Equal(w.Fingerprint, []workflow.Part{workflow.PartVerdicts}) { // A17
			t.Errorf("%s: fingerprint of %v", name, w.Fingerprint)
		}
	}
}

// Seeds 3.8: the terms of the route for what fails at times. One green is in none of
// them (A61), each series is of one input, and what a person approved stays.
func TestA61TheTermsOfTheFlakyRoute(t *testing.T) {
	t.Parallel()
	all := shippedAtdd(t)
	w := all["atdd-flaky"]
	anchored := []string{"${{dir}}/diagnosis.md", "tests/acceptance/AT-${{issue}}[.-]*"}
	for phase, want := range map[string][]events.GateKind{
		"diagnose": {events.GateFlaky, events.GateAnchor, events.GateApproval},
		"fix":      {events.GateAnchor, events.GateRed, events.GateRepeat, events.GateCommand},
		"handover": {events.GateRepeat, events.GateCommand, events.GateAnchor},
	} {
		ph, _ := w.Phase(phase)
		if !slices.Equal(kinds(ph.Gates), want) {
			t.Errorf("%s: gates %v, want %v", phase, kinds(ph.Gates), want)
		}
		for _, g := range ph.Gates {
			if strings.Contains(g.Run, "${{anchor}}") && g.Times.Input != "times" {
				t.Errorf("%s: gate %s runs the anchor %s times", phase, g.Name, g.Times)
			}
			if pins := g.Kind == events.GateAnchor && phase != "diagnose" || g.Kind == events.GateApproval; pins && !slices.Equal(g.Of, anchored) {
				t.Errorf("%s: gate %s is of %q", phase, g.Name, g.Of)
			}
		}
	}
	times, _ := w.Inputs.Get("times")
	anchor, _ := w.Inputs.Get("anchor")
	accept, _ := all["atdd"].Inputs.Get("accept")
	if times.Default == "" || anchor.Default != accept.Default {
		t.Errorf("times %+v, anchor %q, want %q", times, anchor.Default, accept.Default)
	}
}

// Lesson A32: words of an oracle that is gone are refused, so that nothing that still
// has them stays green unseen; and none of the routes has one.
func TestA32WordsOfAnOracleThatIsGoneAreRefused(t *testing.T) {
	t.Parallel()
	_, src, err := workflow.Shipped("atdd")
	if err != nil {
		t.Fatal(err)
	}
	for now, gone := range map[string]string{
		"fingerprint: [verdicts]": "fingerprint: [findings]",
		"kind: coverage":          "kind: reviewer",
		"  sameness: halt":        "  review: halt",
		"unclean: impl":           "unclean: reviewing-deliverables",
		"limits: {iterations: 8}": "limits: {maxIterations: 8}",
		"    role: coder":         "    reviewer: coder",
	} {
		old := strings.Replace(string(src), now, gone, 1)
		w, err := workflow.Parse([]byte(old))
		if err == nil {
			err = w.Check()
		}
		if old == string(src) || err == nil {
			t.Errorf("%s: is taken", gone)
		}
	}
	for _, word := range []string{"overall_correctness", "reviewing-deliverables", "findings_digest", "blocking"} {
		if strings.Contains(string(src), word) {
			t.Errorf("atdd still says %s", word)
		}
	}
}
