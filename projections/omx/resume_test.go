package omx_test

import (
	"strings"
	"testing"

	"autopilot/projections/omx"
)

// TestSeeds412ResumeTable has a row for each phase that a run is found in.
func TestSeeds412ResumeTable(t *testing.T) {
	t.Parallel()
	on := func(phase string) string { return `{"mode":"autopilot","active":true,"current_phase":"` + phase + `"}` }
	for _, phase := range []string{omx.Interview, omx.Plan, omx.Goal, omx.Review, omx.QA} {
		for _, end := range []string{omx.Cancelled, omx.Failed, omx.Blocked} {
			t.Run(phase+" goes on after "+end, func(t *testing.T) {
				t.Parallel()
				b := honest()
				o := in(t, b, phase)
				ended := walk(t, b, o, `{"mode":"autopilot","active":false,"current_phase":"`+end+`"}`)
				if ended.Text("completed_at") == "" || ended.Sub("apctl").Text("resume_phase") != phase {
					t.Errorf("%s", ended.Compact())
				}
				back := walk(t, b, ended, on(phase))
				if phaseOf(back) != phaseOf(o) || back.Has("completed_at") {
					t.Errorf("it is %s, with %s", phaseOf(back), back.Raw("completed_at"))
				}
				for _, name := range []string{"handoff_artifacts", "review_verdict", "ralplan_consensus_gate"} {
					if string(back.Raw(name)) != string(o.Raw(name)) {
						t.Errorf("%s was %s and is %s", name, o.Raw(name), back.Raw(name))
					}
				}
				refused(t, b, ended, `{"mode":"autopilot","active":false,"current_phase":"complete"}`, "autopilot-phase")
			})
		}
	}
	t.Run("O20: a phase is resumed only with the evidence before it", func(t *testing.T) {
		t.Parallel()
		b := honest()
		ended, _ := omx.Cancel(in(t, b, omx.Interview), stamp(51))
		refused(t, b, ended, on(omx.QA), "deep-interview-handoff")
		refused(t, b, ended, on(omx.Goal), "deep-interview-handoff")
	})
	t.Run("an approved plan that changed meanwhile is not carried out", func(t *testing.T) {
		t.Parallel()
		b := honest()
		ended, _ := omx.Cancel(in(t, b, omx.Goal), stamp(51))
		b.files[prd] = omx.File{There: true, Inside: true, Folder: "plans", SHA256: "b2", Modified: at(2)}
		refused(t, b, ended, on(omx.Goal), "the plan was changed after it")
	})
	t.Run("a team goes on inside of its story", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o := walk(t, b, in(t, b, omx.Goal), on(omx.Team))
		ended, _ := omx.Cancel(o, stamp(51))
		if got := phaseOf(walk(t, b, ended, on(omx.Team))); got != "team true 1/0" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("ralph of an earlier choice stays ralph", func(t *testing.T) {
		t.Parallel()
		b := honest()
		cycle := `phase_cycle=["deep-interview","ralplan","ralph","code-review","ultraqa"]`
		o := walk(t, b, in(t, b, omx.Plan), toGoal(`current_phase="ralph"`, cycle))
		ended, _ := omx.Cancel(o, stamp(51))
		o = walk(t, b, ended, on(omx.Ralph))
		if got := phaseOf(o); got != "ralph true 1/0" {
			t.Errorf("it is %s", got)
		}
		refused(t, b, o, toReview(), "handoff_artifacts.ralph")
		o = walk(t, b, o, toReview(`handoff_artifacts={"ralph":{"implementation":"x","tests":["go test"]}}`), toQA(), toEnd())
		if got := phaseOf(o); got != "complete false 1/0" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("a complete run is reported only", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o := in(t, b, omx.Complete)
		for _, phase := range []string{omx.Interview, omx.Plan, omx.Goal, omx.QA} {
			refused(t, b, o, on(phase), "is not begun anew")
		}
		refused(t, b, o, `{"mode":"autopilot","active":false,"current_phase":"failed"}`, "does not end again")
		refused(t, b, o, `{"mode":"autopilot","review_verdict":null}`, "is what it stands on")
		refused(t, b, o, `{"mode":"autopilot","handoff_artifacts":{"ralplan":null}}`, "is what it stands on")
		noted := walk(t, b, o, `{"mode":"autopilot","note":"read"}`)
		if phaseOf(noted) != phaseOf(o) || noted.Text("completed_at") != o.Text("completed_at") {
			t.Errorf("it is %s", noted.Compact())
		}
	})
	t.Run("the next run begins over a complete one", func(t *testing.T) {
		t.Parallel()
		b := honest()
		r, err := omx.Start(in(t, b, omx.Complete), "next", context, b.world, omx.Strict)
		if err != nil || phaseOf(r.State) != "deep-interview true 1/0" || r.State.Has("completed_at") {
			t.Errorf("%v, %s", err, r.State.Compact())
		}
	})
	t.Run("a start does not write over a run that is active", func(t *testing.T) {
		t.Parallel()
		b := honest()
		for _, p := range []omx.Profile{omx.Strict, omx.Advisory} {
			if _, err := omx.Start(in(t, b, omx.Goal), "next", "", b.world, p); err == nil || !strings.Contains(err.Error(), "active in phase ultragoal") {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("a state that was cleared is begun anew", func(t *testing.T) {
		t.Parallel()
		b := honest()
		if got := phaseOf(walk(t, b, omx.Tombstone("autopilot", session, stamp(1)), begin())); got != "deep-interview true 1/0" {
			t.Errorf("it is %s", got)
		}
	})
}

func TestSeeds411TheStartHasAllMembers(t *testing.T) {
	t.Parallel()
	b := honest()
	r, err := omx.Start(nil, "add a search box", context, b.world, omx.Strict)
	if err != nil {
		t.Fatal(err)
	}
	o := r.State
	for name, want := range map[string]string{
		"mode": `"autopilot"`, "active": "true", "current_phase": `"deep-interview"`, "iteration": "1", "review_cycle": "0", "max_iterations": "10",
		"phase_cycle":    `["deep-interview","ralplan","ultragoal","code-review","ultraqa"]`,
		"review_verdict": "null", "qa_verdict": "null", "return_to_ralplan_reason": "null", "session_id": `"s-1"`, "workingDirectory": `"/w"`,
		"deep_interview_gate":    `{"status":"required","skip_reason":null,"rationale":null}`,
		"ralplan_consensus_gate": `{"required":true,"sequence":["architect-review","critic-review"],"planning_artifacts_are_not_consensus":true,"required_review_roles":["architect","critic"],"ralplan_architect_review":null,"ralplan_critic_review":null,"complete":false}`,
		"handoff_artifacts":      `{"context_snapshot_path":"` + context + `","deep_interview":null,"ralplan":null,"ultragoal":null,"code_review":null,"ultraqa":null}`,
	} {
		if got := string(o.Raw(name)); got != want {
			t.Errorf("%s is %s, and not %s", name, got, want)
		}
	}
	walk(t, b, o, path(omx.Complete)[1:]...)
	r, err = omx.Start(nil, "add", "", b.world, omx.Advisory)
	if err != nil || string(r.State.Raw("phase_cycle")) != `["deep-interview","ralplan","ultragoal"]` || count(r.State, "max_iterations") != 3 || count(r.State, "iteration") != 0 {
		t.Errorf("%v, %s", err, r.State.Compact())
	}
	if _, err := omx.Start(nil, " ", "", b.world, omx.Strict); err == nil {
		t.Error("a start without a task is accepted")
	}
}

// TestTheStartOfTheContractVerbatim is the state that the skill of the contract writes
// first: its snapshot is a placeholder.
func TestTheStartOfTheContractVerbatim(t *testing.T) {
	t.Parallel()
	b := honest()
	start := `{"mode":"autopilot","active":true,"current_phase":"deep-interview","iteration":1,"review_cycle":0,"max_iterations":10,
		"phase_cycle":["deep-interview","ralplan","ultragoal","code-review","ultraqa"],
		"handoff_artifacts":{"context_snapshot_path":"SNAPSHOT","deep_interview":null,"ralplan":null,
		"ralplan_consensus_gate":{"required":true,"sequence":["architect-review","critic-review"],"planning_artifacts_are_not_consensus":true,
		"required_review_roles":["architect","critic"],"ralplan_architect_review":null,"ralplan_critic_review":null,"complete":false},
		"ultragoal":null,"code_review":null,"ultraqa":null},"review_verdict":null,"qa_verdict":null,"return_to_ralplan_reason":null}`
	refused(t, b, nil, strings.Replace(start, "SNAPSHOT", ".omx/context/<slug>-<timestamp>.md", 1), "write it first")
	o := walk(t, b, nil, strings.Replace(start, "SNAPSHOT", context, 1))
	walk(t, b, o, toPlan(), `{"mode":"autopilot","handoff_artifacts":{"ralplan_consensus_gate":`+gate(review("architect"), review("critic"))+`}}`)
}

func TestSeeds413TheSnapshotHasItsSections(t *testing.T) {
	t.Parallel()
	name, text := omx.Snapshot("Add a search box,\nwith ÄÖ and `code`!", at(0))
	if name != "add-a-search-box-with-and-code-20260501T100000Z" {
		t.Errorf("the name is %s", name)
	}
	for _, key := range []string{
		"activation prompt / task seed: Add a search box, with", "original task status: activation-prompt", "desired outcome:", "known facts:",
		"constraints:", "unknowns:", "touchpoints:", "scope note:",
	} {
		if !strings.Contains(text, "\n- "+key) {
			t.Errorf("%q is missing in %s", key, text)
		}
	}
	if name, text := omx.Snapshot("", at(0)); !strings.HasPrefix(name, "autopilot-recovery-") || !strings.Contains(text, "status: unavailable") {
		t.Errorf("%s: %s", name, text)
	}
	if s := omx.Slug(strings.Repeat("long name ", 20)); len(s) > 48 {
		t.Errorf("%s has %d characters", s, len(s))
	}
	if s := omx.Slug("???"); s != "task" {
		t.Errorf("a text without letters is %s", s)
	}
}
