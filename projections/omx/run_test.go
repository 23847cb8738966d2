package omx_test

import (
	"strings"
	"testing"

	"autopilot/events/wire"
	"autopilot/projections/omx"
)

// Q36: every end of a run has a value of its own, and only done is complete.
func TestEachEndOfARunHasAValueOfItsOwn(t *testing.T) {
	t.Parallel()
	for state, row := range map[string]struct {
		run   wire.RunView
		phase string
		live  bool
	}{
		"it works":              {wire.RunView{State: "running", Exit: -1, Phase: omx.Goal}, omx.Goal, true},
		"it waits for a person": {wire.RunView{State: "waiting", Exit: -1, Phase: omx.Interview, Question: &wire.QuestionView{Number: 2}}, omx.Waiting, true},
		"done":                  {wire.RunView{State: "done", Exit: 0, Phase: omx.QA}, omx.Complete, false},
		"cancelled":             {wire.RunView{State: "cancelled", Exit: wire.ExitCancelled, Phase: omx.Plan}, omx.Cancelled, false},
		"the budget is spent":   {wire.RunView{State: "halted", Reason: "iterations", Exit: wire.ExitLimit, Phase: omx.Goal}, omx.Exhausted, false},
		"a rail":                {wire.RunView{State: "halted", Reason: "sameness", Exit: wire.ExitRail, Phase: omx.Goal}, omx.Halted, false},
		"a person is needed":    {wire.RunView{State: "halted", Reason: "entry", Exit: wire.ExitPerson, Phase: omx.Interview}, omx.Halted, false},
		"failed":                {wire.RunView{State: "failed", Exit: 1, Phase: omx.Plan}, omx.Failed, false},
	} {
		row.run.ID, row.run.Task = "01RUN", "x"
		o := omx.OfRun(wire.WhyView{Run: row.run}, "", "2026-11-30T08:00:00.000Z")
		if o.Text("current_phase") != row.phase || o.True("active") != row.live || o.Text(omx.RunID) != "01RUN" {
			t.Errorf("%s: %s", state, o.Compact())
		}
		if (o.Text("run_outcome") == "finish") != (row.phase == omx.Complete) {
			t.Errorf("%s ends as %s", state, o.Text("run_outcome"))
		}
		if _, err := omx.Parse(o.Indented()); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// Seeds 4.1.1: iteration and review_cycle grow with each way back, and the reviews are
// those that the daemon has seen.
func TestARunShowsItsCyclesAndReviews(t *testing.T) {
	t.Parallel()
	v := wire.WhyView{
		Run:       wire.RunView{Exit: -1, Phase: omx.Plan, State: "running"},
		LastError: "quote the name",
		Rows:      []wire.WhyRow{{Phase: omx.Interview}, {Phase: omx.Plan}, {Phase: omx.Plan}, {Phase: omx.Goal}, {Phase: omx.Review}},
		Summary: []wire.SummaryPart{
			{Part: "plan", Gates: []wire.SummaryGate{{Gate: "consensus", Kind: "consensus", Phase: omx.Plan, Verdict: "pass", Set: "ab", By: []wire.SummaryBy{
				{Who: "architect", Says: "approve", Source: "s1"}, {Who: "critic", Says: "approve", Source: "s2"},
			}}}},
			{Part: "verification", Gates: []wire.SummaryGate{{Gate: "tests", Kind: "command", Phase: omx.Goal, Verdict: "pass"}}},
			{Part: "review", Gates: []wire.SummaryGate{{Gate: "reviewed", Kind: "review", Phase: omx.Review, Verdict: "fail", By: []wire.SummaryBy{{Who: "reviewer", Says: "request-changes", Source: "s3"}}}}},
		},
	}
	o := omx.OfRun(v, ".omx/context/x-1.md", "2026-11-30T08:00:00.000Z")
	text := string(o.Compact())
	for _, want := range []string{
		`"iteration":2`, `"review_cycle":1`, `"return_to_ralplan_reason":"quote the name"`, `"complete":true`,
		`"agent_role":"architect","verdict":"approve","sequence_index":1`, `"agent_role":"critic","verdict":"approve","sequence_index":2`,
		`"recommendation":"REQUEST CHANGES"`, `"clean":false`, `"qa_verdict":null`, `"context_snapshot_path":".omx/context/x-1.md"`,
		`"evidence":[{"gate":"tests","verdict":"pass"`, `"phase_cycle":["ralplan","ultragoal","code-review"]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
