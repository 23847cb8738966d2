package gate

import (
	"cmp"
	"fmt"

	"autopilot/events"
	"autopilot/projections/rule"
)

// A control run is the same command, with the same set-up, in a clean checkout of
// the files as they are now. If it fails there too, its failure in the test commit
// says nothing about the work: a checkout may lack what the tests need, and then
// they fail in every one.
//
// That is a fail and not unverifiable: the agent may finish the work, or record
// what the tests need.

// Seen is a result of which only the part on the test commit is still to be
// taken: the control run was about another tree.
func (g Red) Seen(c TestCommit, r events.GateResult) (events.GateResult, string) {
	r.After = events.Rate{}
	if r.Reason != events.ReasonControl {
		return r, ""
	}
	r.Verdict, r.Reason, r.Control, r.OutputSum, r.Files = events.Pass, events.ReasonSeenRed, "", "", ""
	return r, fmt.Sprintf("%sIn commit %s, which adds the tests, the command fails%s (exit code %d), as it has to before the work.\n", redTaken, c, ofRuns(r.Rate.Failed, r.Rate), r.Exit)
}

// inRun says in which of several runs.
func inRun(r events.Rate) string {
	if r.Runs == 0 {
		return ""
	}
	return fmt.Sprintf(" (in run %d)", r.Runs)
}

// Control adds the control run to what was seen in the test commit. lacks is what
// could make the difference between the workspace and a clean checkout.
func (g Red) Control(c TestCommit, seen, control events.GateResult, t Texts, setup, lacks string) (events.GateResult, Texts) {
	switch {
	case control.Verdict == events.Pass:
		seen.After = control.Rate
		return seen, Texts{}
	case control.Reason == events.ReasonToolChanged:
		control.Kind = events.GateRed
		return control, t
	}
	r := seen
	r.Verdict, r.Reason, r.After = events.Fail, events.ReasonControl, control.Rate
	r.OutputSum = cmp.Or(control.FailingSum, control.OutputSum)
	head := fmt.Sprintf("In a clean checkout of the present files the command fails too%s, so its failure in commit %s "+
		"proves nothing. Either the work is not done, or the checkout lacks something that the tests need.\n", inRun(control.Rate), c)
	if setup == "" {
		head += "Nothing prepares it: the run has no set-up command.\n"
	} else {
		head += "It is prepared by: " + oneLine(setup) + "\n"
	}
	t.Excerpt = Headed(head+lacks, t.Excerpt)
	if r.OutputSum == "" {
		r.OutputSum = rule.OutputSum([]byte(head))
	}
	return r, t
}
