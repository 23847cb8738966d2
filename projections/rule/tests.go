package rule

import (
	"regexp"
	"slices"
	"strings"
)

// Tests is what an output says of the tests that ran.
type Tests struct {
	Runners []string // whose output it is, sorted; none: nothing is known of the tests

	// How many tests were executed or skipped: of each runner what it named or
	// what it counted, whichever is greater.
	Passed, Failed, Skipped int

	// Ids as those of Failing, sorted, each once. PassedIDs holds the parents of
	// subtests too.
	PassedIDs, FailedIDs, SkippedIDs []string
	Named                            bool // each executed test has an id: a missing id did not run

	Units   []string // packages, files or suites that ended well, sorted
	Empty   []string // those of them in which no test ran
	Bare    []string // those of the empty ones that have no tests at all
	Unnamed []string // those of Units that are not empty and name no test

	Counted bool // the numbers are what the runners counted
	Cut     bool // the middle of the output was not kept, so names and units are missing
}

// Executed counts the tests that ran to an end.
func (t Tests) Executed() int { return t.Passed + t.Failed }

// Ran reports whether a test was executed: one that was counted or named, or
// those of a unit that names none.
func (t Tests) Ran() bool { return t.Executed() > 0 || len(t.Unnamed) > 0 }

// tally is what one runner says of its tests.
type tally struct {
	passed, failed, skipped []string
	parents                 int // of passed: tests whose subtests are among them
	total                   counts
	counted                 bool // total is what the runner printed
	partial                 bool // not each executed test has an id
	units, empty, unnamed   []string
	bare                    []string
}

type counts struct{ passed, failed, skipped int }

func (c *counts) add(o counts) {
	c.passed, c.failed, c.skipped = c.passed+o.passed, c.failed+o.failed, c.skipped+o.skipped
}

func (t *tally) known() bool {
	return t.counted || len(t.passed)+len(t.failed)+len(t.skipped)+len(t.units) > 0
}

// named reports whether each executed test has an id.
func (t *tally) named() bool {
	return !t.partial && len(t.unnamed) == 0 && len(t.passed) >= t.total.passed && t.failures() >= t.total.failed && (len(t.passed) > 0 || t.total.passed == 0)
}

// failures counts the tests that failed, without what failed as a whole.
func (t *tally) failures() int {
	seen := map[string]bool{}
	for _, id := range t.failed {
		if !isMark(id) {
			seen[id] = true
		}
	}
	return len(seen)
}

// isMark reports whether an id stands for a whole that failed: "p [build failed]".
func isMark(id string) bool { return idMark.MatchString(id) }

var idMark = regexp.MustCompile(`(?:^|\s)\[(?:[a-z ]*failed|panic|aborted|bail out|compilation error|vm crashed|unhandled error)\]$`)

// teller is a finder that knows the tests that passed too.
type teller interface {
	finder
	// tally is asked once, after the last line.
	tally() tally
}

// spoolGap is the line that stands for the middle of a long output.
var spoolGap = regexp.MustCompile(`^\.\.\. \d+ bytes were not kept \.\.\.$`)

// ReadTests reads what an output says of the tests that ran. It knows the
// runners that Failing knows, and more. What a test printed counts for nothing
// where its runner says how the test ended.
func ReadTests(output []byte) Tests {
	all := parsers()
	tellers := make([]teller, 0, len(all))
	for _, p := range all {
		if t, ok := p.make().(teller); ok {
			tellers = append(tellers, t)
		}
	}
	var out Tests
	for line := range strings.Lines(StripEscapes(string(output))) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "... ") && spoolGap.MatchString(line) {
			out.Cut = true
		}
		for _, t := range tellers {
			t.line(line)
		}
	}
	out.Named, out.Counted = !out.Cut, true
	for i, t := range tellers {
		out.take(all[i].name, t.tally())
	}
	out.tidy()
	return out
}

// take adds what one runner says.
func (t *Tests) take(runner string, r tally) {
	if !r.known() {
		return
	}
	t.Runners = append(t.Runners, strings.TrimSuffix(runner, "-json"))
	t.Named = t.Named && r.named()
	t.Counted = t.Counted && r.counted
	t.Passed += max(len(r.passed)-r.parents, r.total.passed)
	t.Failed += max(r.failures(), r.total.failed)
	t.Skipped += max(len(r.skipped), r.total.skipped)
	t.PassedIDs = append(t.PassedIDs, r.passed...)
	t.FailedIDs = append(t.FailedIDs, r.failed...)
	t.SkippedIDs = append(t.SkippedIDs, r.skipped...)
	t.Units = append(t.Units, r.units...)
	t.Empty = append(t.Empty, r.empty...)
	t.Bare = append(t.Bare, r.bare...)
	t.Unnamed = append(t.Unnamed, r.unnamed...)
}

func (t *Tests) tidy() {
	slices.Sort(t.Runners)
	t.Runners = slices.Compact(t.Runners)
	t.Named, t.Counted = t.Named && len(t.Runners) > 0, t.Counted && len(t.Runners) > 0
	for _, ids := range []*[]string{&t.PassedIDs, &t.FailedIDs, &t.SkippedIDs, &t.Units, &t.Empty, &t.Bare, &t.Unnamed} {
		*ids = tidyIDs(*ids)
	}
	t.FailedIDs = boundIDs(t.FailedIDs)
	t.PassedIDs = without(t.PassedIDs, t.FailedIDs)
	t.SkippedIDs = without(without(t.SkippedIDs, t.FailedIDs), t.PassedIDs)
}

// without are those of sorted ids that are not among others, which are sorted too.
func without(ids, others []string) []string {
	if len(others) == 0 {
		return ids
	}
	return slices.DeleteFunc(ids, func(id string) bool { return has(others, id) })
}

func has(sorted []string, id string) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}
