package omx_test

import (
	"testing"

	"autopilot/projections/omx"
)

// TestAdvisoryDoesWhatTheReleaseDoes has the gates of oh-my-codex 0.21.6 by their ids: a
// write that skips one succeeds, and says so.
func TestAdvisoryDoesWhatTheReleaseDoes(t *testing.T) {
	t.Parallel()
	on := func(phase string) string { return `{"mode":"autopilot","current_phase":"` + phase + `"}` }
	end := `{"mode":"autopilot","active":false,"current_phase":"complete"}`
	for _, tt := range []struct{ name, from, write, want string }{
		{"an interview without evidence", omx.Interview, on(omx.Plan), "deep-interview-handoff"},
		{"an interview with evidence", omx.Interview, toPlan(), ""},
		{"a skip without a spec", omx.Interview, skip(), "deep-interview-handoff"},
		{"the end out of the interview", omx.Interview, end, "ralplan"},
		{"a plan without evidence", omx.Plan, on(omx.Goal), "ralplan-handoff"},
		{"a plan with evidence", omx.Plan, toGoal(), ""},
		{"a plan whose reviews no tracker has seen", omx.Plan, toGoal("ralplan_consensus_gate=" + gate(review("architect", "thread_id"), review("critic", "thread_id"))), ""},
		{"reviews that count from one", omx.Plan, toGoal("ralplan_consensus_gate=" + gate(review("architect", "review_cycle=1"), review("critic", "review_cycle=1"))), "ralplan-handoff"},
		{"the end out of the plan", omx.Plan, end, "ultragoal"},
		{"the end out of the work", omx.Goal, end, "code-review"},
		{"the work to QA", omx.Goal, on(omx.QA), "code-review"},
		{"the work to the review without evidence", omx.Goal, on(omx.Review), ""},
		{"a jump", omx.Interview, on(omx.QA), "phase-order"},
		{"the review to rework", omx.Review, on(omx.Rework), ""},
		{"the review back to the plan", omx.Review, on(omx.Plan), ""},
		{"the review to QA without evidence", omx.Review, on(omx.QA), ""},
		{"the end out of the review", omx.Review, end, "ultraqa"},
		{"the end without verdicts", omx.QA, `{"mode":"autopilot","active":false,"current_phase":"complete","review_verdict":null}`, "ultraqa-evidence"},
		{"the end with verdicts", omx.QA, toEnd(), ""},
		{"a verdict without its stage", omx.QA, toEnd("qa_verdict=" + qaVerdict("stage")), "ultraqa-evidence"},
		{"not active and at work is the end", omx.Goal, `{"mode":"autopilot","active":false}`, "code-review"},
		{"a run that is cancelled needs no evidence", omx.Goal, `{"mode":"autopilot","active":false,"current_phase":"cancelled"}`, ""},
		{"a run that failed needs no evidence", omx.Goal, `{"mode":"autopilot","active":false,"current_phase":"failed"}`, ""},
		{"an unknown phase is taken", omx.Interview, on("ship"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := honest()
			r, err := omx.Write(in(t, b, tt.from), object(t, tt.write), b.world, omx.Advisory)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if r.Advisory != nil {
				got = r.Advisory.Gate
			}
			if got != tt.want {
				t.Errorf("the gate is %q, and not %q", got, tt.want)
			}
			if n := len(r.State.List("skipped_gates")); (n > 0) != (tt.want != "") {
				t.Errorf("%d gates are noted", n)
			}
			ended := r.State.Text("completion_status") == "complete-with-skipped-gates"
			if want := tt.want != "" && r.State.Text("run_outcome") == "finish"; ended != want {
				t.Errorf("completion_status is %q", r.State.Text("completion_status"))
			}
		})
	}
}

func TestAdvisoryNotesAGateOnce(t *testing.T) {
	t.Parallel()
	b := honest()
	o := in(t, b, omx.Interview)
	for _, phase := range []string{omx.QA, omx.Goal, omx.QA} {
		r, err := omx.Write(o, object(t, `{"mode":"autopilot","current_phase":"`+phase+`"}`), b.world, omx.Advisory)
		if err != nil || r.Advisory == nil {
			t.Fatalf("%v", err)
		}
		o = r.State
	}
	if n := len(o.List("skipped_gates")); n != 2 {
		t.Errorf("%d gates are noted: %s", n, o.Raw("skipped_gates"))
	}
}

func TestAdvisoryRefusesWhatIsForgedToo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, from, write string }{
		{"hand-overs that are a list", omx.Plan, toGoal("handoff_artifacts=[]")},
		{"a gate that is a list", omx.Plan, toGoal("ralplan_consensus_gate=[]")},
		{"a review that is a text", omx.Plan, toGoal("ralplan_consensus_gate=" + gate(`"ok"`, review("critic")))},
		{"an index that is a text", omx.Plan, toGoal("ralplan_consensus_gate=" + gate(review("architect", `sequence_index="1"`), review("critic")))},
		{"a time that is none", omx.Plan, toGoal("ralplan_execution_handoff=" + execution(`authorized_at="today"`))},
		{"a plan outside of its folder", omx.Plan, toGoal(`handoff_artifacts={"ralplan":{"plan_path":"README.md"}}`)},
		{"a spec outside of its folders", omx.Interview, toPlan(`handoff_artifacts={"deep_interview":"../evil.md"}`)},
		{"another session", omx.Plan, toGoal(`session_id="s-1"`, `state={"session_id":"s-2"}`)},
		{"an end that is active", omx.Plan, `{"mode":"autopilot","active":true,"current_phase":"complete"}`},
	} {
		b := honest()
		if _, err := omx.Write(in(t, b, tt.from), object(t, tt.write), b.world, omx.Advisory); err == nil {
			t.Errorf("%s is accepted", tt.name)
		}
	}
}
