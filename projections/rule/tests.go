package rule

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
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

	Counted map[string]int // tests executed, by runners that count them
	Cut     bool           // the middle of the output was not kept, so names and units are missing
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
	last                    int  // the line on which it counted last
	loose                   bool // marks alone, without anything that a runner prints around them
}

type counts struct{ passed, failed, skipped int }

func (c *counts) add(o counts) {
	c.passed, c.failed, c.skipped = c.passed+o.passed, c.failed+o.failed, c.skipped+o.skipped
}

func (t *tally) known() bool {
	return t.counted || t.total != (counts{}) || len(t.passed)+len(t.failed)+len(t.skipped)+len(t.units) > 0
}

// named reports whether each executed test has an id.
func (t *tally) named() bool {
	return !t.partial && len(t.unnamed) == 0 && len(t.passed) >= t.total.passed && t.failures() >= t.total.failed && (len(t.passed) > 0 || t.total.passed == 0)
}

// failures counts the tests that failed, without what failed as a whole.
func (t *tally) failures() int {
	seen := map[string]bool{}
	for _, id := range t.failed {
		if wholeOf(id) == "" {
			seen[id] = true
		}
	}
	return len(seen)
}

// isMark reports whether an id stands for a whole that failed: "p [build failed]".
func isMark(id string) bool { return strings.HasSuffix(id, "]") && idMark.MatchString(id) }

var idMark = regex.New(`(?:^|\s)\[(?:[a-z ]*failed|panic|aborted|bail out|compilation error|vm crashed|unhandled error)\]$`)

// teller reads the lines of one kind of runner for the tests that ran. It knows
// nothing of an output that is not that runner's.
type teller interface {
	// clock is set first: the number of the line that is read.
	clock(*int)
	line(string)
	// tally is asked once, after the last line.
	tally() tally
}

// session is a teller that says where it begins and where it ends. What other runners
// seem to print in between was printed by one of its tests.
type session interface {
	teller
	open() bool
}

type testReader struct {
	name  string
	tests teller
}

// testReaders are those of the runners whose failures are found too, and of more.
func testReaders() []testReader {
	var all []testReader
	for _, p := range parsers() {
		if t, ok := p.make().(teller); ok {
			all = append(all, testReader{strings.TrimSuffix(p.name, "-json"), t})
		}
	}
	return append(all, []testReader{
		{"nextest", &nextest{}},
		{"mocha", &mocha{}},
		{"bun", &bun{}},
		{"deno", &deno{}},
		{"playwright", &playwright{}},
		{"rspec", &rspec{}},
		{"minitest", &minitest{}},
		{"phpunit", &phpunit{}},
		{"ctest", &ctest{}},
		{"dotnet", &dotnet{}},
		{"swift", &swift{}},
		{"prove", &prove{}},
		{"gotestsum", &gotestsum{}},
	}...)
}

// spoolGap is the line that stands for the middle of a long output.
var spoolGap = regex.New(`^\.\.\. \d+ bytes were not kept \.\.\.$`)

// ReadTests reads what an output says of the tests that ran. It knows the
// runners that Failing knows, and more. What a test printed counts for nothing
// where its runner says how the test ended.
func ReadTests(output []byte) Tests {
	text := StripEscapes(string(output))
	readers := testReaders()
	rest := &totals{}
	cut := feed(text, readers, rest)
	out := Tests{Cut: cut, Named: !cut}
	last := 0
	tallies := make([]tally, len(readers))
	for i, r := range readers {
		tallies[i] = r.tests.tally()
	}
	counted := slices.ContainsFunc(tallies, func(t tally) bool { return t.counted })
	for i, r := range readers {
		t := tallies[i]
		if t.loose && counted {
			continue // a test of the runner that counts has printed them
		}
		out.take(r.name, t)
		if t.known() {
			last = max(last, t.last)
		}
	}
	cases := junit([]byte(text))
	out.take("junit", cases.tally())
	out.take("totals", rest.behind(last))
	out.tidy()
	return out
}

// feed gives each line to the readers: to all, or to the one whose session is open.
// One that has not ended at the end was cut off, or is none: then the others read
// on from where it began. It reports whether the middle was not kept.
func feed(text string, readers []testReader, rest *totals) (cut bool) {
	now, from, offset := 0, 0, 0
	for i := range readers {
		readers[i].tests.clock(&now)
	}
	var owner session
	for line := range strings.Lines(text) {
		now++
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		cut = cut || strings.HasPrefix(line, "... ") && spoolGap.MatchString(line)
		if owner != nil {
			owner.line(line)
			if !owner.open() {
				owner = nil
			}
			continue
		}
		for _, r := range readers {
			r.tests.line(line)
			if s, ok := r.tests.(session); ok && owner == nil && s.open() {
				owner, from = s, offset
			}
		}
		rest.line(now, line)
	}
	if owner == nil {
		return cut
	}
	for line := range strings.Lines(text[from:]) {
		line = strings.TrimRight(line, "\r\n")
		for _, r := range readers {
			if r.tests != teller(owner) {
				r.tests.line(line)
			}
		}
		rest.line(now, line)
	}
	return cut
}

// take adds what one runner says.
func (t *Tests) take(runner string, r tally) {
	if !r.known() {
		return
	}
	if r.counted && r.total.failed == 0 { // what failed by name was printed by a test
		r.failed = slices.DeleteFunc(r.failed, func(id string) bool { return wholeOf(id) == "" })
	}
	t.Runners = append(t.Runners, runner)
	t.Named = t.Named && r.named()
	passed, failed := max(len(r.passed)-r.parents, r.total.passed), max(r.failures(), r.total.failed)
	if r.counted {
		if t.Counted == nil {
			t.Counted = map[string]int{}
		}
		t.Counted[runner] += passed + failed
	}
	t.Passed += passed
	t.Failed += failed
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
	t.Named = t.Named && len(t.Runners) > 0
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
