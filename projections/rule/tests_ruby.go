package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	rspecEnd    = regex.New(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$`)
	rspecFailed = regex.New(`^rspec \S+ # (\S.*)$`)
)

// rspec reads the numbers of RSpec, and its list of failed examples.
type rspec struct {
	lineCount
	failed  []string
	total   counts
	counted bool
}

func (r *rspec) line(line string) {
	switch {
	case strings.HasPrefix(line, "rspec "):
		if m := rspecFailed.FindStringSubmatch(line); m != nil && r.counted {
			r.failed = append(r.failed, m[1])
		}
	case strings.Contains(line, " example"):
		if m := rspecEnd.FindStringSubmatch(line); m != nil {
			failed, skipped := atoi(m[2])+atoi(m[4]), atoi(m[3])
			r.total.add(counts{passed: max(atoi(m[1])-atoi(m[2])-skipped, 0), failed: failed, skipped: skipped})
			r.counted = true
			r.closes()
		}
	}
}

func (r *rspec) tally() tally {
	return tally{failed: r.failed, total: r.total, counted: r.counted, partial: true, last: r.last}
}

var (
	minitestEnd  = regex.New(`^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) (?:skips|pendings))?(?:, (\d+) omissions)?`)
	minitestMark = regex.New(`^(\S+#\S.*?) = [\d.]+ s = ([.FES])$`)
	minitestFail = regex.New(`^(\S+#\S.*?)(?: \[.*\])?:$`)
)

// minitest reads minitest and test-unit.
type minitest struct {
	lineCount
	marks
	title   bool // the line before began a failure
	total   counts
	counted bool
}

func (t *minitest) line(line string) {
	title := t.title
	t.title = strings.HasSuffix(line, ") Failure:") || strings.HasSuffix(line, ") Error:")
	switch {
	case strings.Contains(line, " assertions, "):
		if m := minitestEnd.FindStringSubmatch(line); m != nil {
			failed, skipped := atoi(m[2])+atoi(m[3]), atoi(m[4])+atoi(m[5])
			t.total.add(counts{passed: max(atoi(m[1])-failed-skipped, 0), failed: failed, skipped: skipped})
			t.counted = true
			t.closes()
		}
	case strings.Contains(line, " s = "):
		if m := minitestMark.FindStringSubmatch(line); m != nil && m[2] != "F" && m[2] != "E" {
			t.test(0, m[1], "", map[string]result{".": testPassed, "S": testSkipped}[m[2]])
		}
	case title:
		if m := minitestFail.FindStringSubmatch(line); m != nil {
			t.test(0, m[1], "", testFailed)
		}
	}
}

func (t *minitest) tally() tally {
	if !t.counted {
		return tally{}
	}
	return t.marks.tally(t.total, t.lineCount)
}

var (
	phpunitOK   = regex.New(`^OK \((\d+) tests?, \d+ assertions?\)$`)
	phpunitEnd  = regex.New(`^Tests: (\d+), Assertions: \d+(.*)\.$`)
	phpunitNote = regex.New(`(Errors|Failures|Skipped|Incomplete): (\d+)`)
	phpunitFail = regex.New(`^\d+\) ([\w\\]+::\S.*)$`)
	pestEnd     = regex.New(`^  Tests:    (\d+ .*) \(\d+ assertions?\)$`)
)

// phpunit reads PHPUnit and Pest. Its lists name tests that are skipped as they name
// those that failed, so only those under a heading of failures count.
type phpunit struct {
	lineCount
	failing bool // within a list of failures
	failed  []string
	total   counts
	counted bool
}

func (p *phpunit) line(line string) {
	switch {
	case line == "":
	case strings.HasPrefix(line, "There "):
		p.failing = strings.Contains(line, " failure") || strings.Contains(line, " error")
	case line == "No tests executed!":
		p.counted = true
	case line[0] == 'O' && phpunitOK.MatchString(line):
		p.count(counts{passed: atoi(phpunitOK.FindStringSubmatch(line)[1])})
	case strings.HasPrefix(line, "Tests: ") && phpunitEnd.MatchString(line):
		p.numbers(phpunitEnd.FindStringSubmatch(line))
	case strings.HasPrefix(line, "  Tests:  ") && pestEnd.MatchString(line):
		var c counts
		c.take(pestEnd.FindStringSubmatch(line)[1])
		p.count(c)
	case p.failing && digit(line[0]):
		if m := phpunitFail.FindStringSubmatch(line); m != nil {
			p.failed = append(p.failed, m[1])
		}
	}
}

func (p *phpunit) numbers(m []string) {
	var c counts
	for _, n := range phpunitNote.FindAllStringSubmatch(m[2], -1) {
		if n[1] == "Skipped" || n[1] == "Incomplete" {
			c.skipped += atoi(n[2])
		} else {
			c.failed += atoi(n[2])
		}
	}
	c.passed = max(atoi(m[1])-c.failed-c.skipped, 0)
	p.count(c)
}

func (p *phpunit) count(c counts) {
	p.total.add(c)
	p.counted, p.failing = true, false
	p.closes()
}

func (p *phpunit) tally() tally {
	if !p.counted {
		return tally{}
	}
	return tally{failed: p.failed, total: p.total, counted: true, partial: true, last: p.last}
}
