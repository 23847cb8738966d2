package engine_test

import (
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

// hung is an agent that was ended for its silence, and left a tree.
func hung(n, attempt int, tree events.Tree) []events.Data {
	return one(agent(n, attempt), ended(n, tree, func(d *events.AgentEnded) {
		d.Attempt, d.Outcome, d.Exit, d.Result, d.SilentMS = attempt, events.IdleTimeout, -1, events.ResultIdleTimeout, 720_000
	}))
}

func judgedAs(n int, tree events.Tree, v events.Verdict, sum string) []events.Data {
	return one(events.GatesStarted{Phase: "work", Iteration: n}, judged(n, tree, result(v, sum)), record(n, v, sum))
}

// onTree has an agent begin on a tree.
func onTree(tree events.Tree, d []events.Data) []events.Data {
	begin := d[0].(events.IterationStarted)
	begin.Tree, begin.Work = tree, tree
	d[0] = begin
	return d
}

// Field reports, B-2: some agents hang at times, and some do always.
func TestAnAgentThatHangsIsTriedAgainOnceAndAtOnce(t *testing.T) {
	t.Parallel()
	first := join(baseline(), hung(1, 1, "t0"), one(record(1, events.Skipped, "")))
	checkNext(t, []nextCase{
		{"it counts as no iteration", join(baseline(), hung(1, 1, "t0")), 0, "noop-recorded", nil},
		{"it is tried again without a pause", first, 0, "start", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 2}},
		{
			"the second in a row halts", join(first, hung(1, 2, "t0"), one(record(1, events.Skipped, ""))), 0, "agent-hung",
			engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltAgentHung, Phase: "work", Iteration: 1, Limit: 2, Used: 720_000, Tree: "t0"}},
		},
		{"what it had changed is judged", join(baseline(), hung(1, 1, "t1")), 0, "gates", engine.RunGates{Phase: "work", Iteration: 1}},
		{"and is done if that passes", join(first, hung(1, 2, "t1"), judgedAs(1, "t1", events.Pass, "")), 0, "done", nil},
		{"if not, the next one works on", join(baseline(), hung(1, 1, "t1"), judgedAs(1, "t1", events.Fail, "a")), 0, "start", engine.RunAgent{Phase: "work", Iteration: 2, Attempt: 1}},
		{
			"who hangs after work halts too: each costs the same", join(baseline(), hung(1, 1, "t1"), judgedAs(1, "t1", events.Fail, "a"), hung(2, 1, "t2"), judgedAs(2, "t2", events.Fail, "b")),
			0, "agent-hung", nil,
		},
		{"one that worked in between begins the count anew", join(first, failed(1, "a"), hung(2, 1, "t2"), judgedAs(2, "t2", events.Fail, "b")), 0, "start", nil},
		{"a lost one in between does not", join(first, lost(1, 2), hung(1, 3, "t0"), one(record(1, events.Skipped, ""))), 0, "agent-hung", nil},
		{"no gate is tried again on a red tree", join(baseline(), left(1, "t1"), onTree("t1", hung(2, 1, "t1"))), 0, "noop-recorded", nil},
		{
			"a person who lets it go on gives it two more", join(first, hung(1, 2, "t0"), one(record(1, events.Skipped, ""), events.RunHalted{Reason: events.HaltAgentHung}, events.RunResumed{}),
				hung(1, 3, "t0"), one(record(1, events.Skipped, ""))), 0, "start", nil,
		},
	})
}
