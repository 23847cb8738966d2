package omx_test

import (
	"fmt"
	"testing"

	"autopilot/projections/omx"
)

// again are the writes of one more cycle behind a return: all evidence is new.
func again(b *bench, cycle int) []string {
	minute := 60 * cycle
	b.world.Now = at(minute + 50)
	for name, f := range map[string]omx.File{
		".omx/reviews/review-1.md": {There: true, Inside: true, SHA256: "f", Modified: at(minute + 30)},
		".omx/qa/qa-1.md":          {There: true, Inside: true, SHA256: "g", Modified: at(minute + 40)},
	} {
		b.files[name] = f
	}
	r := func(role string, m int) string {
		return review(role, fmt.Sprintf("review_cycle=%d", cycle), `completed_at="`+at(minute+m).Format("2006-01-02T15:04:05Z")+`"`)
	}
	return []string{
		toGoal("ralplan_consensus_gate="+gate(r("architect", 10), r("critic", 12)), "ralplan_execution_handoff="+
			execution(fmt.Sprintf("review_cycle=%d", cycle), `authorized_at="`+at(minute+14).Format("2006-01-02T15:04:05Z")+`"`)),
		toReview(fmt.Sprintf(`handoff_artifacts={"ultragoal":{"implementation":"cycle %d","tests":["go test ./..."]}}`, cycle)),
	}
}

func TestSeeds412AReturnIsCountedAndClearsTheApprovals(t *testing.T) {
	t.Parallel()
	for _, from := range []string{omx.Review, omx.QA} {
		t.Run("O11: from "+from, func(t *testing.T) {
			t.Parallel()
			b := honest()
			o := walk(t, b, in(t, b, from), back(from))
			if got := phaseOf(o); got != "ralplan true 2/1" {
				t.Errorf("it is %s", got)
			}
			if o.Text("return_to_ralplan_reason") != "the index is off by 1" {
				t.Errorf("the reason is %q", o.Text("return_to_ralplan_reason"))
			}
			g := o.Sub("ralplan_consensus_gate")
			if !g.Null("ralplan_architect_review") || !g.Null("ralplan_critic_review") || !g.False("complete") || !o.Null("ralplan_execution_handoff") {
				t.Errorf("the approvals are still there: %s", g.Compact())
			}
			if o.Sub("handoff_artifacts").Null("ultragoal") {
				t.Error("an artifact is gone")
			}
			refused(t, b, o, toGoal(), "this cycle") // the approvals of the cycle before
			writes := again(b, 1)
			o = walk(t, b, o, writes[0])
			refused(t, b, o, toReview(), "it is that of the one before")
			o = walk(t, b, o, writes[1])
			if !o.Null("review_verdict") || !o.Null("qa_verdict") {
				t.Error("the verdicts of the cycle before are still there")
			}
			b.files[".omx/reviews/review-1.md"] = omx.File{There: true, Inside: true, SHA256: "f", Modified: at(30)}
			refused(t, b, o, toQA(), "older than the return")
			again(b, 1)
			o = walk(t, b, o, toQA(), toEnd())
			if !o.Null("return_to_ralplan_reason") || phaseOf(o) != "complete false 2/1" {
				t.Errorf("%s, %s", phaseOf(o), o.Raw("return_to_ralplan_reason"))
			}
		})
	}
}

// TestO1TheBudgetEndsInItsOwnState also holds for the first of the two bounds (Q45).
func TestO1Q36Q45ASpentBudgetIsExhaustedAndNeverComplete(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, nil, merged(map[string]any{}, `mode="autopilot"`, "active=true", "max_iterations=2"))
	o = walk(t, b, o, path(omx.Review)[1:]...)
	o = walk(t, b, o, back(omx.Review))
	o = walk(t, b, o, again(b, 1)...)
	r, err := omx.Write(o, object(t, back(omx.Review, `return_to_ralplan_reason="another one"`)), b.world, omx.Strict)
	if err != nil {
		t.Fatal(err)
	}
	o = r.State
	if r.Stop == nil || r.Stop.Phase != omx.Exhausted || phaseOf(o) != "exhausted false 2/1" || o.Text("stop_reason") != "max_iterations_reached" {
		t.Errorf("%+v, %s", r.Stop, o.Compact())
	}
	if o.Text("run_outcome") != "failed" || o.Text("lifecycle_outcome") != "failed" || o.Text("completed_at") == "" {
		t.Errorf("the outcome is %s, %s", o.Text("run_outcome"), o.Text("lifecycle_outcome"))
	}
	refused(t, b, o, `{"mode":"autopilot","active":true,"current_phase":"ralplan"}`, "budget")
	refused(t, b, o, `{"mode":"autopilot","active":true,"current_phase":"ralplan","max_iterations":50}`, "cannot grow")
	refused(t, b, o, `{"mode":"autopilot","active":false,"current_phase":"complete"}`, "autopilot-phase")
}

func TestSeeds412Q44TheSameFindingThreeTimesHaltsUnlessThePlanChanged(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		b := honest()
		o := in(t, b, omx.Review)
		reasons := []string{"the index is off by 1", "The index  is off by 22", "the INDEX is off by 3"}
		for i, reason := range reasons {
			if changed && i == 2 {
				b.files[prd] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: "b2", Modified: at(2)}
			}
			r, err := omx.Write(o, object(t, back(omx.Review, `return_to_ralplan_reason="`+reason+`"`)), b.world, omx.Strict)
			if err != nil {
				t.Fatal(err)
			}
			o = r.State
			if halt := i == 2 && !changed; halt != (r.Stop != nil) {
				t.Fatalf("return %d, plan changed %t: %+v", i+1, changed, r.Stop)
			}
			if r.Stop == nil && i < 2 {
				o = walk(t, b, o, again(b, i+1)...)
			}
		}
		if changed {
			continue
		}
		if phaseOf(o) != "halted false 4/3" || o.Text("run_outcome") != "blocked_on_user" || o.Text("stop_reason") != "same_failure_three_times" {
			t.Errorf("it is %s", o.Compact())
		}
		resume := `{"mode":"autopilot","active":true,"current_phase":"ralplan"}`
		refused(t, b, o, resume, "another plan")
		refused(t, b, o, `{"mode":"autopilot","active":false,"current_phase":"complete"}`, "autopilot-phase")
		b.files[prd] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: "b2", Modified: at(2)}
		if got := phaseOf(walk(t, b, o, resume)); got != "ralplan true 4/3" {
			t.Errorf("with another plan it is %s", got)
		}
	}
}

func TestQuirk7OfTheReleaseCountersAreCountedHere(t *testing.T) {
	t.Parallel()
	b := honest()
	o := in(t, b, omx.Review)
	for name, write := range map[string]string{
		"an iteration that a caller sets":            `{"mode":"autopilot","iteration":5}`,
		"a cycle that a caller sets":                 `{"mode":"autopilot","review_cycle":3}`,
		"a return that leaves the counter as it was": back(omx.Review, "review_cycle=0"),
		"a fraction":                                      `{"mode":"autopilot","iteration":1.5}`,
		"a text":                                          `{"mode":"autopilot","iteration":"1"}`,
		"O45: a number that is too large":                 `{"mode":"autopilot","iteration":99999999999999999999}`,
		"a number below 0":                                `{"mode":"autopilot","review_cycle":-1}`,
		"max_iterations as text":                          `{"mode":"autopilot","max_iterations":"10"}`,
		"no iterations at all":                            `{"mode":"autopilot","max_iterations":0}`,
		"a budget that grows while the run goes on":       `{"mode":"autopilot","max_iterations":11}`,
		"the member of this program, which counts for it": `{"mode":"autopilot","apctl":{"returns":[]}}`,
		"the same member, nested":                         `{"mode":"autopilot","state":{"apctl":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, b, o, write, "")
		})
	}
	walk(t, b, o, `{"mode":"autopilot","iteration":1,"review_cycle":0,"max_iterations":9}`)
	o = walk(t, b, o, back(omx.Review, "review_cycle=1", "iteration=2"))
	refused(t, b, o, `{"mode":"autopilot","max_iterations":1}`, "in iteration 2")
	ended, _ := omx.Cancel(o, stamp(51))
	refused(t, b, ended, `{"mode":"autopilot","active":true,"current_phase":"ralplan","max_iterations":50}`, "cannot grow")
	refused(t, b, nil, `{"mode":"autopilot","active":true,"iteration":4}`, "iteration is 1 and not 4")
}

func TestQuirk8OfTheReleaseTurnsOfTheChatAreNoIterations(t *testing.T) {
	t.Parallel()
	b := honest()
	o := in(t, b, omx.Goal).Set("iteration", 9) // what the notifier of the release does
	if got := phaseOf(walk(t, b, o, toReview())); got != "code-review true 1/0" {
		t.Errorf("it is %s", got)
	}
	o = in(t, b, omx.Goal).Set("iteration", 10).Set("active", false).Set("current_phase", "complete").Set("stop_reason", "max_iterations_reached").Set("completed_at", stamp(50))
	refused(t, b, o, `{"mode":"autopilot","active":true,"current_phase":"ultragoal"}`, "budget of the run is spent")
	if got := walk(t, b, o, `{"mode":"autopilot","note":"x"}`).Text("current_phase"); got != omx.Exhausted {
		t.Errorf("it is %s", got)
	}
}

func TestSeeds412APlanThatIsNotApprovedSaysWhy(t *testing.T) {
	t.Parallel()
	b := honest()
	o := in(t, b, omx.Plan)
	for _, tt := range []struct{ name, gate, want string }{
		{"no review", `{"complete":true}`, "architect_review_missing_or_not_approved"},
		{"no critic", gate(review("architect"), "null"), "critic_review_missing_or_not_approved"},
		{"a critic that iterates", gate(review("architect"), review("critic", `verdict="iterate"`)), "critic_review_missing_or_not_approved"},
		{"a critic that is no sub-agent", gate(review("architect"), review("critic", "provenance_kind")), "native_subagent_consensus_evidence_missing"},
		{"a plan that is approved", gate(review("architect"), review("critic")), ""},
	} {
		next := walk(t, b, o, `{"mode":"autopilot","ralplan_consensus_gate":`+tt.gate+`,"handoff_artifacts":{"ralplan":{"plan_path":"`+prd+`"}}}`)
		g := next.Sub("ralplan_consensus_gate")
		if g.Text("blocked_reason") != tt.want || g.True("complete") != (tt.want == "") {
			t.Errorf("%s: %s", tt.name, g.Compact())
		}
	}
}

func TestAPlanThatChangesLosesItsApprovals(t *testing.T) {
	t.Parallel()
	b := honest()
	approved := `{"mode":"autopilot","ralplan_consensus_gate":` + gate(review("architect"), review("critic")) + `,"handoff_artifacts":{"ralplan":{"plan_path":"` + prd + `"}}}`
	o := walk(t, b, in(t, b, omx.Plan), approved)
	for _, edited := range []string{prd, tests} {
		f := b.files[edited]
		b.files[edited] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: f.SHA256 + "x", Modified: at(2)}
		refused(t, b, o, toGoal(), "the plan was changed after it")
		g := walk(t, b, o, `{"mode":"autopilot","note":"x"}`).Sub("ralplan_consensus_gate")
		if !g.Null("ralplan_critic_review") || g.Text("blocked_reason") != "plan_changed_after_approval" {
			t.Errorf("%s: %s", edited, g.Compact())
		}
		b.files[edited] = f
	}
	walk(t, b, o, toGoal())
}

func TestSeeds411TheGateOfThePlanAmongTheHandOversIsTheSame(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, nil, `{"mode":"autopilot","active":true,"handoff_artifacts":{"ralplan_consensus_gate":{"required":true,"complete":false}}}`, toPlan(),
		`{"mode":"autopilot","handoff_artifacts":{"ralplan":{"plan_path":"`+prd+`"},"ralplan_consensus_gate":`+gate(review("architect"), review("critic"))+`}}`)
	if o.Has("ralplan_consensus_gate") || !o.Sub("handoff_artifacts").Sub("ralplan_consensus_gate").True("complete") {
		t.Fatalf("%s", o.Compact())
	}
	walk(t, b, o, toGoal("ralplan_consensus_gate"))
}

func TestSeeds412EvidenceOfTheCycleBeforeIsNone(t *testing.T) {
	t.Parallel()
	b := honest()
	place := "https://example.org/pull/1#review-7"
	o := walk(t, b, in(t, b, omx.Review), back(omx.Review, `review_verdict={"clean":false,"review_url":"`+place+`"}`))
	b.threads["t-late"] = omx.Thread{Known: true, Native: true, Completed: at(80)}
	one := func(role string, over ...string) string {
		return review(role, append([]string{"review_cycle=1"}, over...)...)
	}
	late := `completed_at="` + at(70).Format("2006-01-02T15:04:05Z") + `"`
	refused(t, b, o, toGoal("ralplan_consensus_gate="+gate(one("architect"), one("critic")), "ralplan_execution_handoff="+execution("review_cycle=1")), "a review by the architect of this cycle")
	refused(t, b, o, toGoal("ralplan_consensus_gate="+gate(one("architect", late), one("critic", late)), "ralplan_execution_handoff="+execution("review_cycle=1")), "it is older than the return")
	o = walk(t, b, o, again(b, 1)...)
	refused(t, b, o, toQA("review_verdict="+reviewVerdict("artifact_path", `review_url="`+place+`"`)), "an earlier one has named")
	refused(t, b, o, toQA("review_verdict="+reviewVerdict("artifact_path", `thread_id="t-critic"`)), "in this cycle")
	walk(t, b, o, toQA("review_verdict="+reviewVerdict("artifact_path", `thread_id="t-late"`)))
	refused(t, b, o, back(omx.Review, "return_to_ralplan_reason"), "the finding, verbatim") // that of the return before
}
