package omx_test

import (
	"strings"
	"testing"

	"autopilot/projections/omx"
)

func TestSeeds412AnHonestRunGoesThroughAllPhases(t *testing.T) {
	t.Parallel()
	b := honest()
	o := in(t, b, omx.Complete)
	if got := phaseOf(o); got != "complete false 1/0" {
		t.Errorf("it is %s", got)
	}
	for name, want := range map[string]string{"run_outcome": "finish", "lifecycle_outcome": "finished", "completed_at": "2026-05-01T10:50:00.000Z"} {
		if o.Text(name) != want {
			t.Errorf("%s is %q", name, o.Text(name))
		}
	}
	h := o.Sub("handoff_artifacts")
	for _, name := range []string{"context_snapshot_path", "deep_interview", "ralplan", "ultragoal", "code_review", "ultraqa"} {
		if h.Null(name) {
			t.Errorf("the hand-over %s is missing", name)
		}
	}
}

// TestSeeds412Guards has what each transition needs, a row for each part of a guard.
func TestSeeds412Guards(t *testing.T) {
	t.Parallel()
	gates := func(architect, critic string) string { return "ralplan_consensus_gate=" + gate(architect, critic) }
	for _, tt := range []struct {
		name, from, write string
		setup             func(*bench)
		want              string
	}{
		{name: "a start whose snapshot is not there is refused", write: strings.Replace(begin(), context, ".omx/context/<slug>-<timestamp>.md", 1), want: "context snapshot"},
		{name: "a run does not begin behind its interview", write: `{"mode":"autopilot","active":true,"current_phase":"ralplan"}`, want: "the interview has not ended"},
		{name: "a run does not begin in QA", write: `{"mode":"autopilot","active":true,"current_phase":"ultraqa"}`, want: "the interview has not ended"},
		{name: "a run does not begin in a wait", write: `{"mode":"autopilot","active":true,"current_phase":"waiting-for-user"}`, want: "does not begin in the phase"},
		{name: "O39: an answered question alone keeps the interview open", from: omx.Interview, write: toPlan(`deep_interview_gate={"status":"required","question_id":"q-1"}`), want: "an answer alone does not end it"},
		{name: "an interview without a rationale is open", from: omx.Interview, write: toPlan(`deep_interview_gate={"status":"complete","rationale":" "}`), want: "a rationale"},
		{name: "a summary is a rationale", from: omx.Interview, write: toPlan(`deep_interview_gate={"status":"complete","summary":"clear"}`)},
		{name: "an interview without a spec is open", from: omx.Interview, write: toPlan("handoff_artifacts={}"), want: "clarified spec"},
		{name: "a spec that is not there is none", from: omx.Interview, write: toPlan(), setup: func(b *bench) { b.files[spec] = omx.File{Inside: true, Folder: "specs"} }, want: "clarified spec"},
		{name: "a spec outside of its folders is refused", from: omx.Interview, write: toPlan(`handoff_artifacts={"deep_interview":"README.md"}`), want: "outside of .omx/{specs,context,interviews}"},
		{name: "a path alone names the spec", from: omx.Interview, write: toPlan(`handoff_artifacts={"deep_interview":"` + spec + `"}`)},
		{name: "a question links its answered record", from: omx.Interview, write: toPlan(`question_enforcement={"obligation_id":"o","status":"satisfied","question_id":"q-1"}`)},
		{name: "a question that is open keeps the interview open", from: omx.Interview, write: toPlan(`question_enforcement={"obligation_id":"o","status":"pending"}`), want: "question that is open"},
		{name: "the record of another session links nothing", from: omx.Interview, write: toPlan(`question_enforcement={"obligation_id":"o","status":"satisfied","question_id":"q-foreign"}`), want: "q-foreign"},
		{name: "a record without a session links nothing", from: omx.Interview, write: toPlan(`question_enforcement={"obligation_id":"o","status":"satisfied","question_id":"q-nobody"}`), want: "q-nobody"},
		{name: "a record that is not answered links nothing", from: omx.Interview, write: toPlan(`deep_interview_gate={"status":"complete","rationale":"r","question_id":"q-open"}`), want: "q-open"},
		{name: "a question that was withdrawn needs no record", from: omx.Interview, write: toPlan(`question_enforcement={"obligation_id":"o","status":"cleared"}`)},
		{name: "a person skips the interview", from: omx.Interview, write: skip()},
		{name: "a skip without a person is refused", from: omx.Interview, write: skip("source=\"leader\""), want: "only a person skips"},
		{name: "a skip without authorisation is refused", from: omx.Interview, write: skip("skip_authorized_by_user=\"true\""), want: "skip_authorized_by_user"},
		{name: "a skip without a reason is refused", from: omx.Interview, write: skip("skip_reason=\"\""), want: "skip_reason"},
		{name: "a skip without a time is refused", from: omx.Interview, write: skip("skipped_at=\"now\""), want: "skipped_at"},
		{name: "a skip of another session is refused", from: omx.Interview, write: skip("session_id=\"s-2\""), want: "session_id"},

		{name: "O37: plan files are no consensus", from: omx.Plan, write: toGoal("ralplan_consensus_gate"), want: "an approving review by the architect"},
		{name: "O36: a plan without a file is none", from: omx.Plan, write: toGoal(), setup: func(b *bench) { delete(b.files, prd) }, want: "outside of .omx/{plans}"},
		{name: "O36: a plan without a test spec is none", from: omx.Plan, write: toGoal(), setup: func(b *bench) { delete(b.files, tests) }, want: "the test spec"},
		{name: "a plan outside of its folder is refused", from: omx.Plan, write: toGoal(`handoff_artifacts={"ralplan":{"plan_path":"README.md"}}`), want: "outside of .omx/{plans}"},
		{name: "a gate that is not complete is refused", from: omx.Plan, write: toGoal("ralplan_consensus_gate=" + strings.Replace(gate(review("architect"), review("critic")), `"complete":true`, `"complete":false`, 1)), want: "complete: true"},
		{name: "a review that does not approve is refused", from: omx.Plan, write: toGoal(gates(review("architect"), review("critic", `verdict="iterate"`))), want: "an approving review by the critic"},
		{name: "a review by another role is refused", from: omx.Plan, write: toGoal(gates(review("architect", `agent_role="critic"`), review("critic"))), want: "an approving review by the architect"},
		{name: "a critic that is first is refused", from: omx.Plan, write: toGoal(gates(review("architect", "sequence_index=2"), review("critic", "sequence_index=1"))), want: "the architect is first"},
		{name: "a critic that ended before the architect is refused", from: omx.Plan, write: toGoal(gates(review("architect"), review("critic", `completed_at="`+stamp(9)+`"`))), want: "behind that by the architect"},
		{name: "reviews of another cycle are refused", from: omx.Plan, write: toGoal(gates(review("architect", "review_cycle=3"), review("critic", "review_cycle=3"))), want: "review_cycle of this cycle"},
		{name: "reviews of two cycles are refused", from: omx.Plan, write: toGoal(gates(review("architect", "review_cycle=1"), review("critic"))), want: "review_cycle of this cycle"},
		{name: "the counter of the run of ralplan is one more, and the same", from: omx.Plan, write: toGoal(gates(review("architect", "review_cycle=1"), review("critic", "review_cycle=1")), "ralplan_execution_handoff="+execution("review_cycle=1"))},
		{name: "reviews of another session are refused", from: omx.Plan, write: toGoal(gates(review("architect"), review("critic", `session_id="s-2"`))), want: "session_id of this session"},
		{name: "O37: the word of the leader is no review", from: omx.Plan, write: toGoal(gates(review("architect", `thread_id="t-lead"`), review("critic"))), want: "subagent-tracking.json"},
		{name: "O37: a thread that nobody has seen is no review", from: omx.Plan, write: toGoal(gates(review("architect", `thread_id="t-x"`), review("critic"))), want: "subagent-tracking.json"},
		{name: "a sub-agent that is not native is a trace", from: omx.Plan, write: toGoal(gates(review("architect", `thread_id="t-adapted"`), review("critic"))), want: "subagent-tracking.json"},
		{name: "a review without provenance is a trace", from: omx.Plan, write: toGoal(gates(review("architect", "provenance_kind"), review("critic"))), want: "native_subagent"},
		{name: "a sub-agent that goes on has not reviewed", from: omx.Plan, write: toGoal(gates(review("architect"), review("critic", `thread_id="t-open"`))), want: "the end of the sub-agent"},
		{name: "one sub-agent is not two", from: omx.Plan, write: toGoal(gates(review("architect"), review("critic", `thread_id="t-architect"`))), setup: func(b *bench) {
			b.threads["t-architect"] = omx.Thread{Known: true, Native: true, Completed: at(10)}
		}, want: "a second sub-agent"},
		{name: "a review that is older than the plan is refused", from: omx.Plan, write: toGoal(), setup: func(b *bench) {
			b.files[prd] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: "b1", Modified: at(11)}
		}, want: "the plan was written after it"},
		{name: "an order that is missing is refused", from: omx.Plan, write: toGoal("ralplan_execution_handoff"), want: "ralplan_execution_handoff"},
		{name: "an order by somebody else is refused", from: omx.Plan, write: toGoal("ralplan_execution_handoff=" + execution(`source="leader"`)), want: "source: autopilot"},
		{name: "an order of another session is refused", from: omx.Plan, write: toGoal("ralplan_execution_handoff=" + execution(`session_id="s-2"`)), want: "session_id of this session"},
		{name: "an order of another cycle is refused", from: omx.Plan, write: toGoal("ralplan_execution_handoff=" + execution("review_cycle=4")), want: "review_cycle of this cycle"},
		{name: "a forged index is refused", from: omx.Plan, write: toGoal(gates(review("architect", `sequence_index="1"`), review("critic"))), want: "wrong shape"},
		{name: "a forged time is refused", from: omx.Plan, write: toGoal("ralplan_execution_handoff=" + execution(`authorized_at="today"`)), want: "wrong shape"},
		{name: "a review that is a text is refused", from: omx.Plan, write: toGoal(gates(`"approved"`, review("critic"))), want: "has to be an object"},
		{name: "a gate that is a list is refused", from: omx.Plan, write: toGoal("ralplan_consensus_gate=[]"), want: "has to be an object"},
		{name: "hand-overs that are a list are refused", from: omx.Plan, write: toGoal("handoff_artifacts=[]"), want: "has to be an object"},
		{name: "nested hand-overs that are a text are refused", from: omx.Plan, write: toGoal(`state={"handoff_artifacts":"x"}`), want: "has to be an object"},

		{name: "O15: work without tests is not reviewed", from: omx.Goal, write: toReview(`handoff_artifacts={"ultragoal":{"implementation":"x"}}`), want: "tests, what was run"},
		{name: "work that says nothing is not reviewed", from: omx.Goal, write: toReview("handoff_artifacts"), want: "implementation"},
		{name: "work without a ledger is not reviewed", from: omx.Goal, write: toReview(), setup: func(b *bench) { delete(b.files, omx.Ledger) }, want: "the ledger"},
		{name: "the work does not go to QA without a review", from: omx.Goal, write: toQA(), want: "without a review"},
		{name: "the work does not go back to the plan by itself", from: omx.Goal, write: `{"mode":"autopilot","current_phase":"ralplan"}`, want: "phase-order"},
		{name: "a team works inside of the work only", from: omx.Plan, write: `{"mode":"autopilot","current_phase":"team"}`, want: "phase-order"},
		{name: "a team works inside of the work", from: omx.Goal, write: `{"mode":"autopilot","current_phase":"team"}`},
		{name: "ralph is for runs that chose it", from: omx.Plan, write: toGoal(`current_phase="ralph"`), want: "phase-order"},
		{name: "a run that chose ralph goes to it with an approved plan", from: omx.Plan, write: toGoal(`current_phase="ralph"`, `phase_cycle=["deep-interview","ralplan","ralph","code-review","ultraqa"]`)},

		{name: "O38: the summary of the leader is no review", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`source="leader"`)), want: "the summary of the leader"},
		{name: "O38: a clean review without a place is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path")), want: "a place of the evidence"},
		{name: "a place that leads nowhere is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`artifact_path=".omx/reviews/none.md"`)), want: "the file .omx/reviews/none.md"},
		{name: "a file outside of the work is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`artifact_path="../evil.md"`)), want: "below the working directory"},
		{name: "a thread that nobody has seen is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `thread_id="t-x"`)), want: "t-x"},
		{name: "a thread that the tracker has seen is one", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `thread_id="t-critic"`))},
		{name: "O38: the thread of the leader is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `thread_id="t-lead"`)), want: "t-lead"},
		{name: "a thread that goes on is none", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `thread_id="t-open"`)), want: "the end of the sub-agent"},
		{name: "a number of a tool call alone leads nowhere", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `tool_call_id="c-1"`)), want: "a place of the evidence"},
		{name: "a URL is one", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `review_url="https://example.org/pull/1#review"`))},
		{name: "free text is no URL", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `review_url="see above"`)), want: "a URL in the place of"},
		{name: "a build is no review", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("artifact_path", `url="https://github.com/a/b/actions/runs/1"`)), want: "or of a build"},
		{name: "a verdict of QA is no review", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`source="ultraqa"`)), want: "evidence of a review"},
		{name: "COMMENT is not clean", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`recommendation="COMMENT"`)), want: "APPROVE"},
		{name: "WATCH is not clean", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`architectural_status="WATCH"`)), want: "CLEAR"},
		{name: "an open finding is not clean", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`findings=[{"id":"F1","status":"open"}]`)), want: "the finding that is open"},
		{name: "a finding that was resolved is clean", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`findings=[{"id":"F1","status":"resolved"}]`))},
		{name: "the stage may be left out", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict("stage"))},
		{name: "another stage may not", from: omx.Review, write: toQA("review_verdict=" + reviewVerdict(`stage="ultraqa"`)), want: "stage: code-review"},
		{name: "findings are mended in a new cycle only", from: omx.Review, write: `{"mode":"autopilot","current_phase":"rework"}`, want: "phase-order"},
		{name: "the way back needs a verdict", from: omx.Review, write: back(omx.Review, "review_verdict"), want: "review_verdict that is not clean"},
		{name: "the way back from a clean review is none", from: omx.Review, write: back(omx.Review, "review_verdict="+reviewVerdict()), want: "review_verdict that is not clean"},
		{name: "the way back needs a reason", from: omx.Review, write: back(omx.Review, "return_to_ralplan_reason"), want: "return_to_ralplan_reason"},

		{name: "QA of the leader is none", from: omx.QA, write: toEnd("qa_verdict=" + qaVerdict(`source="leader"`)), want: "of the leader"},
		{name: "QA that found something is not clean", from: omx.QA, write: toEnd("qa_verdict=" + qaVerdict("clean=false")), want: "clean: true in qa_verdict"},
		{name: "QA that was skipped has a reason", from: omx.QA, write: toEnd("qa_verdict=" + qaVerdict("skipped=true")), want: "why QA was skipped"},
		{name: "QA is skipped with a reason", from: omx.QA, write: toEnd("qa_verdict=" + qaVerdict("skipped=true", `reason="documentation only"`))},
		{name: "review and QA have evidence of their own", from: omx.QA, write: toEnd("qa_verdict="+qaVerdict("artifact_path", `url="https://example.org/1"`), "review_verdict="+reviewVerdict("artifact_path", `url="https://example.org/1"`)), want: "the same evidence"},
		{name: "the end without QA is none", from: omx.QA, write: toEnd("qa_verdict"), want: "QA has not passed"},
		{name: "the end without a review is none", from: omx.QA, write: toEnd("review_verdict=null"), want: "the review is not clean"},
		{name: "the end without a plan is none", from: omx.QA, write: toEnd(), setup: func(b *bench) { delete(b.files, prd) }, want: "the plan"},
		{name: "an approved plan that was edited by one byte does not end", from: omx.QA, write: toEnd(), setup: func(b *bench) {
			b.files[prd] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: "b2", Modified: at(2)}
		}, want: "the plan was changed after it"},
		{name: "the interview does not end the run", from: omx.Interview, write: toEnd(), want: "gate ralplan"},
		{name: "the plan does not end the run", from: omx.Plan, write: toEnd(), want: "gate ultragoal"},
		{name: "the work does not end the run", from: omx.Goal, write: toEnd(), want: "gate code-review"},
		{name: "the review does not end the run", from: omx.Review, write: toEnd(), want: "gate ultraqa"},
		{name: "a run that is not there does not end", write: toEnd(), want: "gate autopilot-phase"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := honest()
			var o omx.Object
			if tt.from != "" {
				o = in(t, b, tt.from)
			}
			if tt.setup != nil {
				tt.setup(b)
			}
			if tt.want == "" {
				walk(t, b, o, tt.write)
				return
			}
			refused(t, b, o, tt.write, tt.want)
		})
	}
}

func skip(over ...string) string {
	g := merged(map[string]any{
		"status": "skipped", "skip_authorized_by_user": true, "skip_reason": "known", "source": "user", "session_id": session, "skipped_at": stamp(3),
	}, over...)
	return toPlan("deep_interview_gate="+g, "handoff_artifacts={}")
}

// back is the way from review or QA to the plan.
func back(from string, over ...string) string {
	m := map[string]any{"mode": "autopilot", "current_phase": "ralplan", "return_to_ralplan_reason": "the index is off by 1"}
	if from == omx.Review {
		m["review_verdict"] = map[string]any{"clean": false, "recommendation": "REQUEST CHANGES", "architectural_status": "CLEAR"}
	} else {
		m["qa_verdict"] = map[string]any{"clean": false}
	}
	return merged(m, over...)
}
