package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
)

// Parts are what a fingerprint is made of, beside the names of gates.
type Parts struct {
	Verdicts bool        // and nothing else but the criteria that are not covered
	Tests    bool        // failing tests, else the normalised output
	Tree     events.Tree // that was left; empty does not count
}

// Fingerprint names the failure of an iteration: two iterations that failed in
// the same way have the same one. With a tree they must also have left the same
// files, and then what failed is told by tests and exit codes alone: who leaves the
// same files did the same, whatever a program prints of it this time.
//
// It is the SHA-256, in lower-case hex, of these lines, each ended by a newline:
//
//	autopilot fingerprint 2
//	gate <name> <verdict> <exit> tests <sum of failing ids>
//	gate <name> <verdict> <exit> output <sum of normalised output>
//	gate <name> <verdict> <exit>
//	tree <id>
//
// One gate line for each result, sorted; the first form if failing tests are
// known, the second if not and there is no tree, the third else, for gates that did
// not fail, as what those print is no part of a failure, and where tests are no
// part. The tree line is there only with a tree. Of verdicts alone the lines are
//
//	autopilot verdicts 1
//	gate <name> <verdict>
//	gate <name> <verdict> uncovered <sum of criteria>
//	gate <name> <verdict> said <sum of findings> of <set>
//
// as a set that a person rejects once more is another one, or for another reason.
// Source of those: atdd-kit, seeds 3.4 (6), whose payload is whether each term
// holds, and what is not covered.
//
// Version 1 had the second form with a tree too, and less was normalised.
func Fingerprint(results []events.GateResult, of Parts) string {
	head := "autopilot fingerprint 2"
	lines := make([]string, 0, len(results)+1)
	for _, r := range results {
		line := fmt.Sprintf("gate %s %s", r.Gate, r.Verdict)
		switch {
		case of.Verdicts && r.Kind == events.GateCoverage && r.FailingSum != "":
			line += " uncovered " + r.FailingSum
		case of.Verdicts && r.Kind == events.GateApproval && r.OutputSum != "":
			line += fmt.Sprintf(" said %s of %s", r.OutputSum, r.Set)
		case of.Verdicts:
		default:
			line += fmt.Sprintf(" %d", r.Exit)
			if of.Tests {
				line += failure(r, of.Tree == "")
			}
		}
		lines = append(lines, line)
	}
	if of.Verdicts {
		head = "autopilot verdicts 1"
	}
	slices.Sort(lines)
	if of.Tree != "" {
		lines = append(lines, "tree "+string(of.Tree))
	}
	return sumLines(head, lines)
}

// Asking is the fingerprint of an iteration that ended with a question to a
// person: who asks something else has not done the same again. It is the SHA-256
// of the lines
//
//	autopilot question 1
//	<fingerprint>
//	<blob of the question>
//
// and without a question the fingerprint as it is.
func Asking(fingerprint string, a events.Asks, question events.Ref) string {
	if a.Kind == "" {
		return fingerprint
	}
	return sumLines("autopilot question 1", []string{fingerprint, string(question)})
}

func failure(r events.GateResult, output bool) string {
	switch {
	case r.Verdict != events.Fail && r.Verdict != events.Unverifiable:
		return ""
	case r.FailingSum != "":
		return " tests " + r.FailingSum
	case output && r.OutputSum != "":
		return " output " + r.OutputSum
	}
	return ""
}

// Signature names the failure by what it printed, whatever the files are. It
// is the SHA-256 of the line "autopilot signature 2" and, for each result,
// sorted, as above:
//
//	gate <name> <exit> <sum of failing ids or -> <shape, or sum of normalised output, or ->
//
// with both sums of failed gates only. Version 1 had no shapes.
func Signature(results []events.GateResult) string {
	lines := make([]string, 0, len(results))
	for _, r := range results {
		tests, output := "-", "-"
		if r.Verdict == events.Fail || r.Verdict == events.Unverifiable {
			tests, output = cmp.Or(r.FailingSum, "-"), cmp.Or(r.Shape, r.OutputSum, "-")
		}
		lines = append(lines, fmt.Sprintf("gate %s %d %s %s", r.Gate, r.Exit, tests, output))
	}
	slices.Sort(lines)
	return sumLines("autopilot signature 2", lines)
}

func sumLines(head string, lines []string) string {
	return sum([]byte(head + "\n" + strings.Join(lines, "\n") + "\n"))
}
