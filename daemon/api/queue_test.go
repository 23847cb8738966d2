package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
	folded "autopilot/projections/queue"
)

func TestAnItemLaysWhatItHasOverTheDefaultsOfItsQueue(t *testing.T) {
	t.Parallel()
	under := wire.RunSpec{
		Workflow: "atdd", MaxIterations: 7, Gates: []wire.GateSpec{{Name: "test", Role: events.RoleGoal, Command: "go test"}},
		Agent: wire.AgentSpec{Profile: "claude", Model: "opus"}, Inputs: map[string]string{"dir": "docs"},
	}
	for name, tt := range map[string]struct{ over, want wire.RunSpec }{
		"nothing of its own": {wire.RunSpec{Task: "x"}, wire.RunSpec{
			Task: "x", Workflow: "atdd", MaxIterations: 7, Gates: under.Gates, Agent: under.Agent, Inputs: under.Inputs,
		}},
		"a member takes the place of the whole": {
			wire.RunSpec{Task: "x", MaxIterations: 2, Agent: wire.AgentSpec{Command: "sh a.sh"}, Gates: []wire.GateSpec{{Name: "lint", Role: events.RoleInvariant, Command: "lint"}}},
			wire.RunSpec{
				Task: "x", Workflow: "atdd", MaxIterations: 2, Agent: wire.AgentSpec{Command: "sh a.sh"},
				Gates: []wire.GateSpec{{Name: "lint", Role: events.RoleInvariant, Command: "lint"}}, Inputs: under.Inputs,
			},
		},
	} {
		got, err := overlaid(under, tt.over)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestItemsWithoutANameAreNamedByIssueOrTask(t *testing.T) {
	t.Parallel()
	spec := func(name, task, issue string) wire.QueueItemSpec {
		return wire.QueueItemSpec{Name: name, Start: wire.StartRequest{Spec: wire.RunSpec{Task: task, Issue: issue}}}
	}
	has := folded.Evolve(folded.State{}, events.Event{Seq: 1, Data: events.ItemsAdded{Items: []events.QueueItem{{Name: "fix-it"}}}})
	var got []string
	for _, i := range nameItems(has, []wire.QueueItemSpec{spec("", "Fix it!", ""), spec("", "Fix it", ""), spec("mine", "y", ""), spec("", "z", "o/n#24"), spec("", "日本", "")}) {
		got = append(got, i.Name)
	}
	if d := cmp.Diff([]string{"fix-it-2", "fix-it-3", "mine", "issue-24", "task-cf2abf0c"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAnIssueNamesWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]events.Name{
		"":                                 nil,
		"see #7":                           nil,
		"Blocked by #7":                    {"issue-7"},
		"depends on: #7, #12 and #9, #7":   {"issue-7", "issue-12", "issue-9"},
		"blocked by #3\n\nDepends on #4":   {"issue-3", "issue-4"},
		"blocked by #24, which is itself":  nil,
		"not blocked by anything, see #12": nil,
	} {
		if d := cmp.Diff(want, ghIssue{Number: 24, Body: body}.blockers()); d != "" {
			t.Errorf("%q: %s", body, d)
		}
	}
}
