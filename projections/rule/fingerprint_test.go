package rule

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"autopilot/events"
)

func failed(gate events.Name) events.GateResult {
	return events.GateResult{Gate: gate, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1, FailingSum: "f1", OutputSum: "o1"}
}

// The encoding is part of recorded history: these sums may never change.
func TestFingerprintEncodingIsFrozen(t *testing.T) {
	t.Parallel()
	results := []events.GateResult{failed("test"), {Gate: "lint", Verdict: events.Pass, Reason: events.ReasonExit}}
	equal(t, "fingerprint", Fingerprint(results, Parts{Tests: true, Tree: "abc"}),
		sum([]byte("autopilot fingerprint 2\ngate lint pass 0\ngate test fail 1 tests f1\ntree abc\n")))
	equal(t, "signature", Signature(results),
		sum([]byte("autopilot signature 2\ngate lint 0 - -\ngate test 1 f1 o1\n")))
	equal(t, "value", Fingerprint(results, Parts{Tests: true, Tree: "abc"}), "21bf38832ede244d7cc4518ad495bf75667dd87660859039c97b7fd735fc8129")
}

func TestFingerprintDiffersByWhatAFailureIs(t *testing.T) {
	t.Parallel()
	base := failed("test")
	for name, c := range map[string]struct {
		change func(*events.GateResult)
		tree   events.Tree
		same   bool
		sign   bool // the signature is the same
	}{
		"gate":                  {func(r *events.GateResult) { r.Gate = "other" }, "t", false, false},
		"verdict":               {func(r *events.GateResult) { r.Verdict = events.Unverifiable }, "t", false, true},
		"exit code":             {func(r *events.GateResult) { r.Exit = 2 }, "t", false, false},
		"failing tests":         {func(r *events.GateResult) { r.FailingSum = "f2" }, "t", false, false},
		"text of known tests":   {func(r *events.GateResult) { r.OutputSum = "o2" }, "t", true, false},
		"text alone":            {func(r *events.GateResult) { r.FailingSum, r.OutputSum = "f1", "o3" }, "t", true, false},
		"shape":                 {func(r *events.GateResult) { r.Shape = "s" }, "t", true, false},
		"tree":                  {func(*events.GateResult) {}, "u", false, true},
		"duration and evidence": {func(r *events.GateResult) { r.DurationMS, r.Effect, r.Excerpt = 5, "e", "x" }, "t", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := base
			c.change(&r)
			was, is := []events.GateResult{base}, []events.GateResult{r}
			equal(t, "fingerprint equal", Fingerprint(was, Parts{Tests: true, Tree: "t"}) == Fingerprint(is, Parts{Tests: true, Tree: c.tree}), c.same)
			equal(t, "signature equal", Signature(was) == Signature(is), c.sign)
		})
	}
}

// TestSeeds34FingerprintOfVerdicts: the payload of atdd-kit is whether each term
// holds and what is not covered; lessons A10 and A17.
func TestSeeds34FingerprintOfVerdicts(t *testing.T) {
	t.Parallel()
	base := []events.GateResult{failed("green"), {Gate: "coverage", Kind: events.GateCoverage, Verdict: events.Fail, FailingSum: "ac1", OutputSum: "o"}}
	of := Parts{Verdicts: true}
	equal(t, "encoding", Fingerprint(base, of), sum([]byte("autopilot verdicts 1\ngate coverage fail uncovered ac1\ngate green fail\n")))
	for name, c := range map[string]struct {
		change func([]events.GateResult)
		same   bool
	}{
		"exit code":           {func(r []events.GateResult) { r[0].Exit = 2 }, true},
		"failing tests":       {func(r []events.GateResult) { r[0].FailingSum = "f2" }, true},
		"words of a look":     {func(r []events.GateResult) { r[1].OutputSum = "p" }, true},
		"a term":              {func(r []events.GateResult) { r[0].Verdict = events.Pass }, false},
		"what is not covered": {func(r []events.GateResult) { r[1].FailingSum = "ac2" }, false},
	} {
		other := slices.Clone(base)
		c.change(other)
		equal(t, name, Fingerprint(other, of) == Fingerprint(base, of), c.same)
	}
	said := func(findings, set string) string {
		return Fingerprint([]events.GateResult{{Gate: "agreed", Kind: events.GateApproval, Verdict: events.Fail, OutputSum: findings, Set: set}}, of)
	}
	once := said("f", "s")
	equal(t, "a set is rejected twice", said("f", "s") == once, true)
	equal(t, "another set is rejected", said("f", "s2") == once, false)
	equal(t, "for another reason", said("f2", "s") == once, false)
	equal(t, "without tests", Fingerprint(base[:1], Parts{}), sum([]byte("autopilot fingerprint 2\ngate green fail 1\n")))
}

// Equal text with growing work is progress; equal work, gates and text is not.
func TestFR37EqualTextOnAnotherTreeIsNoRepeat(t *testing.T) {
	t.Parallel()
	results := []events.GateResult{failed("test")}
	h := NewHistory(3, 5)
	for i, tree := range []events.Tree{"a", "b", "c", "d"} {
		h = h.Add(Failure{Iteration: i + 1, Fingerprint: Fingerprint(results, Parts{Tests: true, Tree: tree}), Signature: Signature(results)})
		_, same := h.Sameness()
		_, stuck := h.Stuck(3)
		equal(t, "fired", same || stuck, false)
	}
	h = h.Add(Failure{Iteration: 5, Fingerprint: Fingerprint(results, Parts{Tests: true, Tree: "d"}), Signature: Signature(results)})
	m, same := h.Sameness()
	equal(t, "sameness", same, true)
	equal(t, "iterations", m.Iterations, []int{4, 5})
}

// Who leaves the same files behind did the same, whatever is printed of it.
func TestAnEqualTreeWithEqualExitCodesIsARepeatWhateverTheText(t *testing.T) {
	t.Parallel()
	said := func(text string, of Parts) string {
		return Fingerprint([]events.GateResult{{Gate: "test", Verdict: events.Fail, Exit: 1, OutputSum: OutputSum([]byte(text))}}, of)
	}
	with, without := Parts{Tests: true, Tree: "t"}, Parts{Tests: true}
	equal(t, "with a tree", said("one thing", with) == said("another", with), true)
	equal(t, "without", said("one thing", without) == said("another", without), false)

	h := NewHistory(3, 5)
	for i, tree := range []events.Tree{"a", "b", "a"} {
		h = h.Add(Failure{Iteration: i + 1, Fingerprint: said(fmt.Sprintf("token %x", i*7919), Parts{Tests: true, Tree: tree})})
	}
	m, stuck := h.Stuck(3)
	equal(t, "alternating under varying texts", stuck, true)
	equal(t, "iterations", m.Iterations, []int{1, 3})
}

// A comment more each time moves the failure, and is no work on it.
func TestAFailureThatOnlyMovesHasOneSignature(t *testing.T) {
	t.Parallel()
	h := NewHistory(3, 5)
	for i := range 5 {
		r := failed("test")
		r.OutputSum, r.Shape = Sums(fmt.Appendf(nil, "  File \"shop.py\", line %d, in total\nTypeError: x", 10+i))
		h = h.Add(Failure{Iteration: i + 1, Fingerprint: fmt.Sprint(i), Signature: Signature([]events.GateResult{r})})
	}
	_, told := h.SameSignature(WarnAt(5))
	_, halts := h.SameSignature(5)
	equal(t, "told and halted", told && halts, true)
}

func TestFingerprintIgnoresOrderAndPassingOutput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		results := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) events.GateResult {
			return events.GateResult{
				Gate:       events.Name(rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "gate")),
				Verdict:    rapid.SampledFrom([]events.Verdict{events.Pass, events.Fail, events.Skipped}).Draw(t, "verdict"),
				Exit:       rapid.IntRange(-1, 3).Draw(t, "exit"),
				FailingSum: rapid.SampledFrom([]string{"", "f1", "f2"}).Draw(t, "failing"),
				OutputSum:  rapid.SampledFrom([]string{"", "o1", "o2"}).Draw(t, "output"),
			}
		}), 0, 5).Draw(t, "results")
		other := slices.Clone(results)
		slices.Reverse(other)
		for i := range other {
			if other[i].Verdict == events.Pass {
				other[i].OutputSum = "changed"
			}
		}
		if Fingerprint(results, Parts{Tests: true, Tree: "t"}) != Fingerprint(other, Parts{Tests: true, Tree: "t"}) || Signature(results) != Signature(other) {
			t.Fatalf("order or passing output counts: %v", results)
		}
	})
}
