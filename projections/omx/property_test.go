package omx_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"autopilot/projections/omx"
)

var (
	anyPhases = []string{
		omx.Interview, omx.Plan, omx.Goal, omx.Rework, omx.Team, omx.Ralph, omx.Review, omx.QA, omx.Waiting,
		omx.Complete, omx.Failed, omx.Cancelled, omx.Blocked, omx.Exhausted, omx.Halted, "ship", "planning", "completed",
	}
	anyEnds = []string{omx.Complete, omx.Failed, omx.Cancelled, omx.Blocked, omx.Exhausted, omx.Halted}
)

// anyWrite is a write of autopilot: one of an honest run, or a mix of members that are
// right and wrong.
func anyWrite(t *rapid.T, o omx.Object) string {
	cycle := count(o, "review_cycle")
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		c := fmt.Sprintf("review_cycle=%d", cycle)
		honest := []string{
			begin(), toPlan(), toGoal(
				"ralplan_consensus_gate="+gate(review("architect", c), review("critic", c)), "ralplan_execution_handoff="+execution(c)),
			toReview(), toReview(fmt.Sprintf(`handoff_artifacts={"ultragoal":{"implementation":"cycle %d","tests":["t"]}}`, cycle)), toQA(), toEnd(),
		}
		return rapid.SampledFrom(honest).Draw(t, "honest")
	case 1:
		from := rapid.SampledFrom([]string{omx.Review, omx.QA}).Draw(t, "from")
		reason := rapid.SampledFrom([]string{"a", "b", "c 1", "C 2"}).Draw(t, "reason")
		return back(from, `return_to_ralplan_reason="`+reason+`"`)
	}
	m := map[string]any{"mode": "autopilot"}
	maybe := func(name string, values ...any) {
		if rapid.IntRange(0, 3).Draw(t, "has "+name) == 0 {
			m[name] = rapid.SampledFrom(values).Draw(t, name)
		}
	}
	m["current_phase"] = rapid.SampledFrom(anyPhases).Draw(t, "phase")
	if slices.Contains(anyEnds, m["current_phase"].(string)) {
		m["active"] = rapid.SampledFrom([]any{false, false, true}).Draw(t, "ended")
	}
	maybe("active", true, false, "yes", nil)
	maybe("iteration", 0, 1, 2, 3, 1.5, "1")
	maybe("review_cycle", 0, 1, 2)
	maybe("max_iterations", 1, 2, 3, 100, "10")
	maybe("run_outcome", "finish", "continue", "cancelled", "done", "maybe")
	maybe("completed_at", stamp(1), nil, 7)
	maybe("stop_reason", "max_iterations_reached", "x")
	maybe("review_verdict", map[string]any{"clean": true}, map[string]any{"clean": false}, nil, "clean")
	maybe("qa_verdict", map[string]any{"clean": true, "skipped": true}, map[string]any{"clean": false}, nil)
	maybe("ralplan_consensus_gate", map[string]any{"complete": true}, nil, []any{})
	maybe("handoff_artifacts", map[string]any{"ultragoal": nil}, nil, []any{}, map[string]any{})
	maybe("deep_interview_gate", map[string]any{"status": "complete"}, nil)
	maybe("state", map[string]any{"x": 1}, map[string]any{"active": true}, "x", nil)
	return merged(m)
}

// TestAnyOrderOfWritesKeepsTheInvariants writes and cancels at random, and looks at each
// state that comes of it.
func TestAnyOrderOfWritesKeepsTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := honest()
		var o omx.Object
		if rapid.Bool().Draw(t, "walked") {
			for _, w := range path(rapid.SampledFrom([]string{omx.Interview, omx.Plan, omx.Goal, omx.Review, omx.QA}).Draw(t, "to")) {
				r, err := omx.Write(o, mustParse(t, w), b.world, omx.Strict)
				if err != nil {
					t.Fatal(err)
				}
				o = r.State
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "writes") {
			before := o
			b.world.Now = b.world.Now.Add(1)
			if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
				o, _ = omx.Cancel(o, omx.Stamp(b.world.Now))
			} else {
				w := anyWrite(t, o)
				r, err := omx.Write(o, mustParse(t, w), b.world, omx.Strict)
				if err != nil {
					if string(before.Compact()) != string(o.Compact()) {
						t.Fatalf("a refused write changed the state: %s", w)
					}
					continue
				}
				o = r.State
			}
			holds(t, b, before, o)
		}
	})
}

func holds(t *rapid.T, b *bench, before, o omx.Object) {
	if len(o) == 0 {
		return
	}
	again, err := omx.Parse(o.Indented())
	if err != nil || string(again.Compact()) != string(o.Compact()) {
		t.Fatalf("it is not the same after a file: %v: %s", err, o.Compact())
	}
	phase := o.Text("current_phase")
	if omx.Phase(phase) != phase || phase == "" {
		t.Fatalf("the phase is %q", phase)
	}
	end := slices.Contains(anyEnds, phase)
	if o.True("active") == end || o.True("active") == o.False("active") {
		t.Fatalf("active is %s in the phase %s", o.Raw("active"), phase)
	}
	if (o.Text("completed_at") != "") != end {
		t.Fatalf("completed_at is %s in the phase %s", o.Raw("completed_at"), phase)
	}
	if (o.Text("run_outcome") == "finish") != (phase == omx.Complete) {
		t.Fatalf("the outcome is %s in the phase %s", o.Text("run_outcome"), phase)
	}
	iteration, cycle, most := count(o, "iteration"), count(o, "review_cycle"), count(o, "max_iterations")
	if iteration != cycle+1 || iteration > most || most < 1 {
		t.Fatalf("the counters are %d, %d, %d", iteration, cycle, most)
	}
	if d := cycle - count(before, "review_cycle"); len(before) > 0 && d != 0 && (d != 1 || phase != omx.Plan && phase != omx.Halted) {
		t.Fatalf("the cycle went from %d to %d in the phase %s", cycle-d, cycle, phase)
	}
	if before.Text("current_phase") == omx.Complete && phase != omx.Complete {
		t.Fatalf("a complete run is %s", phase)
	}
	if phase != omx.Complete {
		return
	}
	review, qa := o.Sub("review_verdict"), o.Sub("qa_verdict")
	gate, h := o.Sub("ralplan_consensus_gate"), o.Sub("handoff_artifacts")
	if !review.True("clean") || !qa.True("clean") || !o.Null("return_to_ralplan_reason") || !gate.True("complete") ||
		h.Null("deep_interview") || h.Null("ultragoal") || h.Null("code_review") || h.Null("ultraqa") {
		t.Fatalf("it is complete without its evidence: %s", o.Compact())
	}
	for _, v := range []omx.Object{review, qa} {
		if !b.files[v.Text("artifact_path")].There {
			t.Fatalf("the evidence is nowhere: %s", v.Compact())
		}
	}
}

func mustParse(t *rapid.T, s string) omx.Object {
	o, err := omx.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// FuzzParse: what is an object is one again, and what is none never panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{begin(), toGoal(), `{"a":[1,{"b":null}]}`, `{"":0}`, `{"a":"😀"}`, "{", "[]", "{}{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := omx.Parse(text)
		if err != nil {
			return
		}
		again, err := omx.Parse(o.Indented())
		if err != nil || string(again.Compact()) != string(o.Compact()) {
			t.Errorf("%s: %v, %s", text, err, again.Compact())
		}
		b := honest()
		for _, p := range []omx.Profile{omx.Strict, omx.Advisory} {
			_, _ = omx.Write(o, object(t, begin()), b.world, p)
			_, _ = omx.Write(nil, o, b.world, p)
			_, _ = omx.Write(o, o, b.world, p)
		}
	})
}
