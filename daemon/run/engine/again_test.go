package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

// idle is an agent that ends at once and leaves the tree as it was.
func idle(n, attempt int, tree events.Tree) []events.Data {
	begin := agent(n, attempt)
	begin.Tree, begin.Work = tree, tree
	return one(begin, ended(n, tree, func(d *events.AgentEnded) { d.Attempt, d.DurationMS = attempt, 10 }))
}

// left is a failed iteration with the tree that it left.
func left(n int, tree events.Tree) []events.Data {
	d := failed(n, "a")
	d[1], d[3] = ended(n, tree), judged(n, tree, result(events.Fail, "a"))
	r := record(n, events.Fail, "a")
	r.Tree, r.Work = tree, tree
	d[4] = r
	return d
}

func again(n int, tree events.Tree, rs []events.GateResult) []events.Data {
	return one(events.GatesStarted{Phase: "work", Iteration: n}, judged(n, tree, rs))
}

func skippedOn(n int, tree events.Tree) events.IterationRecorded {
	r := record(n, events.Skipped, "")
	r.Tree, r.Work = tree, tree
	return r
}

func TestNextProvesARedTreeOnceMoreWhereNothingWasChanged(t *testing.T) {
	t.Parallel()
	red := join(baseline(), left(1, "t1"))
	gone := result(events.Fail, "a")
	gone[0].Verdict = events.Unverifiable
	recorded := func(v events.Verdict) engine.Action {
		return engine.Record{IterationRecorded: events.IterationRecorded{
			Phase: "work", Iteration: 2, Attempt: 1, Verdict: v, Tree: "t1", Work: "t1", Again: true,
		}}
	}
	checkNext(t, []nextCase{
		{"the gates run once more", join(red, idle(2, 1, "t1")), 0, "noop-again", engine.RunGates{Phase: "work", Iteration: 2}},
		{"if they pass, the iteration does", join(red, idle(2, 1, "t1"), again(2, "t1", result(events.Pass, ""))), 0, "record", recorded(events.Pass)},
		{"if they fail, it was none", join(red, idle(2, 1, "t1"), again(2, "t1", result(events.Fail, "a"))), 0, "record", recorded(events.Skipped)},
		{"one that cannot be run is told", join(red, idle(2, 1, "t1"), again(2, "t1", gone)), 0, "record", nil},
		{
			"and the run is done",
			join(red, idle(2, 1, "t1"), again(2, "t1", result(events.Pass, "")), one(events.IterationRecorded{Phase: "work", Iteration: 2, Attempt: 1, Verdict: events.Pass, Again: true})),
			0, "done", nil,
		},
		{
			"else it backs off as ever",
			join(red, idle(2, 1, "t1"), again(2, "t1", result(events.Fail, "a")), one(skippedOn(2, "t1"))), 0, "back-off", nil,
		},
		{
			"once in a row",
			join(red, idle(2, 1, "t1"), again(2, "t1", result(events.Fail, "a")), one(skippedOn(2, "t1")), idle(2, 2, "t1")), 0, "noop-recorded", nil,
		},
		{"the start was seen to be red", join(baseline(), idle(1, 1, "t0")), 0, "noop-recorded", nil},
		{"also when it is back", join(baseline(), left(1, "t0"), idle(2, 1, "t0")), 0, "noop-recorded", nil},
		{"changed proof is no chance", join(baseline(), drift(1), idle(2, 1, "t1")), 0, "gates", nil},
	})
}

// wrote is a failed iteration that left one product, with notes of its own.
func wrote(n int, print string, notes events.Tree) []events.Data {
	r := record(n, events.Fail, print)
	r.Signature, r.Tree, r.Work = fmt.Sprint("s", n), notes, events.Tree("w"+print)
	return append(failed(n, print)[:4], r)
}

func TestNextLetsAReturnWithNewNotesOffOnce(t *testing.T) {
	t.Parallel()
	more := baseline(func(d *events.RunStarted) { d.Limits.Iterations = 20 })
	checkNext(t, []nextCase{
		{"two turns that thought", join(more, wrote(1, "a", "n1"), wrote(2, "a", "n2")), 0, "start", nil},
		{"a third halts", join(more, wrote(1, "a", "n1"), wrote(2, "a", "n2"), wrote(3, "a", "n3")), 0, "sameness", nil},
		{"without a thought it is sameness", join(more, wrote(1, "a", "n1"), wrote(2, "a", "n1")), 0, "sameness", nil},
		{"back with new notes", join(more, wrote(1, "a", "n1"), wrote(2, "b", "n2"), wrote(3, "a", "n3")), 0, "start", nil},
		{"and back once more", join(more, wrote(1, "a", "n1"), wrote(2, "b", "n2"), wrote(3, "a", "n3"), wrote(4, "c", "n4"), wrote(5, "a", "n5")), 0, "stuck", nil},
		{
			"findings of a person open a fresh window",
			join(more, wrote(1, "a", "n1"), wrote(2, "a", "n1"), one(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}), wrote(3, "a", "n1")), 0, "start", nil,
		},
		{
			"in which a repeat is one again",
			join(more, wrote(1, "a", "n1"), wrote(2, "a", "n1"), one(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}), wrote(3, "a", "n1"), wrote(4, "a", "n1")), 0, "sameness", nil,
		},
		{
			"without findings the same once more halts at once",
			join(more, wrote(1, "b", "n1"), wrote(2, "a", "n1"), one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{}), wrote(3, "a", "n1")), 0, "sameness", nil,
		},
		{"five of one failure halt, whatever was changed", join(more, same(1), same(2), same(3), same(4), same(5)), 0, "signature", nil},
		{"four do not", join(more, same(1), same(2), same(3), same(4)), 0, "start", nil},
	})
}

// same is a failed iteration with a tree of its own and one signature.
func same(n int) []events.Data {
	d := failed(n, fmt.Sprint("f", n))
	r := record(n, events.Fail, fmt.Sprint("f", n))
	r.Signature = "same"
	d[4] = r
	return d
}

func TestOfWhatThePromptWarns(t *testing.T) {
	t.Parallel()
	more := baseline(func(d *events.RunStarted) { d.Limits.Iterations = 20 })
	warns := flow()
	warns.Rails.Signature.Then = workflow.Warn
	verdicts := flow()
	verdicts.Fingerprint = []workflow.Part{workflow.PartVerdicts}
	for name, tc := range map[string]struct {
		flow  workflow.Workflow
		given []events.Data
		want  events.Warning
	}{
		"nothing":                  {flow(), join(more, same(1), same(2)), events.Warning{}},
		"the third of five":        {flow(), join(more, same(1), same(2), same(3)), events.Warning{Rail: events.HaltSignature, Times: 3, First: 1, Halts: 5}},
		"the fourth":               {flow(), join(more, same(1), same(2), same(3), same(4)), events.Warning{Rail: events.HaltSignature, Times: 4, First: 1, Halts: 5}},
		"where none halt":          {warns, join(more, same(1), same(2), same(3), same(4)), events.Warning{}},
		"where none halt, at five": {warns, join(more, same(1), same(2), same(3), same(4), same(5)), events.Warning{Rail: events.HaltSignature, Times: 5, First: 1}},
		"a thought":                {flow(), join(more, wrote(1, "a", "n1"), wrote(2, "a", "n2")), events.Warning{Rail: events.HaltSameness, Times: 2, First: 1, Halts: 3}},
		"a return":                 {flow(), join(more, wrote(1, "a", "n1"), wrote(2, "b", "n2"), wrote(3, "a", "n3")), events.Warning{Rail: events.HaltStuck, Times: 2, First: 1, Halts: 3}},
		"where no tree is known":   {verdicts, join(more, wrote(1, "a", "n1"), wrote(2, "a", "n2")), events.Warning{}},
	} {
		if diff := cmp.Diff(tc.want, engine.Warned(history(tc.given...), tc.flow)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
