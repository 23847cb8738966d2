package rule

import (
	"strings"

	"autopilot/projections/regex"
)

// lineCount knows where a runner said last how many tests there were. What is
// behind it was printed by something else.
type lineCount struct {
	now  *int // the line that is read
	last int
}

func (l *lineCount) clock(now *int) { l.now = now }

func (l *lineCount) closes() {
	if l.now != nil {
		l.last = *l.now
	}
}

// numbered finds "3 passed" and the like.
var numbered = regex.New(`(\d+) ([a-z]+)`)

// take adds the numbers of a line by the words behind them.
func (c *counts) take(line string) {
	for _, m := range numbered.FindAllStringSubmatch(line, -1) {
		switch m[2] {
		case "passed", "passing", "pass":
			c.passed += atoi(m[1])
		case "failed", "failing", "fail":
			c.failed += atoi(m[1])
		case "skipped", "todo", "pending", "ignored", "skip":
			c.skipped += atoi(m[1])
		}
	}
}

// marks are the tests of a tree that is told by indentation, where suites stand
// before their tests.
type marks struct {
	passed, failed, skipped []string
	suites                  []suite
}

type suite struct {
	indent int
	name   string
}

// enter names a suite. It ends those that are not further to the left.
func (m *marks) enter(indent int, name string) {
	m.leave(indent)
	m.suites = append(m.suites, suite{indent, name})
}

func (m *marks) leave(indent int) {
	for len(m.suites) > 0 && m.suites[len(m.suites)-1].indent >= indent {
		m.suites = m.suites[:len(m.suites)-1]
	}
}

func (m *marks) test(indent int, name, sep string, r result) {
	m.leave(indent)
	var b strings.Builder
	for _, s := range m.suites {
		b.WriteString(s.name)
		b.WriteString(sep)
	}
	b.WriteString(name)
	switch r {
	case testPassed:
		m.passed = append(m.passed, b.String())
	case testSkipped:
		m.skipped = append(m.skipped, b.String())
	case testFailed:
		m.failed = append(m.failed, b.String())
	}
}

// jestTree reads what jest says of tests that pass: the line of each file, below it
// each test where it is verbose, and the numbers at the end.
type jestTree struct {
	lineCount
	marks
	files   []string // that passed
	inside  bool     // the tests of a file
	suites2 bool     // the line before counted suites
	total   counts
	counted bool
}

var jestMark = regex.New(`^(✓|✔|√|✕|×|○|✎) (?:skipped |todo )?(\S.*?)(?: \([\d.,]+ m?s\))?$`)

func (j *jestTree) begin(result, file string) {
	if strings.Contains(file, " > ") || strings.HasSuffix(file, " ]") {
		return // of vitest
	}
	j.suites = nil
	j.enter(0, file)
	j.inside = true
	if result == "PASS" {
		j.files = append(j.files, file)
	}
}

func (j *jestTree) line(line string) {
	suites := j.suites2
	j.suites2 = false
	switch {
	case line == "":
		j.inside = false
	case strings.HasPrefix(line, "Test Suites: "):
		j.suites2 = jestTotal.MatchString(line)
	case suites && strings.HasPrefix(line, "Tests: "):
		j.total.take(line)
		j.counted = true
		j.closes()
	case j.inside && line[0] == ' ':
		text := strings.TrimLeft(line, " ")
		j.inside = text != "" && !strings.HasPrefix(line, jestTitle)
		if j.inside {
			j.mark(len(line)-len(text), text)
		}
	}
}

func (j *jestTree) mark(indent int, text string) {
	m := jestMark.FindStringSubmatch(text)
	if m == nil {
		j.enter(indent, text)
		return
	}
	r := testPassed
	switch m[1] {
	case "✕", "×":
		r = testFailed
	case "○", "✎":
		r = testSkipped
	}
	j.test(indent, m[2], " › ", r)
}

func (j *jest) clock(now *int) { j.seen.clock(now) }

func (j *jest) tally() tally {
	failed := j.failing()
	if !j.seen.counted && len(failed) == 0 {
		return tally{}
	}
	return tally{failed: failed, passed: j.seen.passed, skipped: j.seen.skipped, total: j.seen.total, counted: j.seen.counted, last: j.seen.last}.
		withUnits(j.seen.files, nil, " › ")
}

// withUnits adds units that ended well. One is unnamed if no test of it has passed
// by name.
func (t tally) withUnits(units, empty []string, sep string) tally {
	named := map[string]bool{}
	for _, id := range t.passed {
		unit, _, _ := strings.Cut(id, sep)
		named[unit] = true
	}
	none := map[string]bool{}
	for _, u := range empty {
		none[u] = true
	}
	t.units, t.empty = append(t.units, units...), append(t.empty, empty...)
	for _, u := range units {
		if !named[u] && !none[u] {
			t.unnamed = append(t.unnamed, u)
		}
	}
	return t
}

// vitestTree reads what vitest says of tests that pass.
type vitestTree struct {
	lineCount
	marks
	files, empty []string
	filesLine    bool
	running      bool
	total        counts
	counted      bool
}

var (
	vitestMark = regex.New(`^( +)([✓√↓□×✗❯]) (\S.*?)(?: \((\d+)\))?(?: \(retry x\d+\))?(?: \d+m?s)?(?: \(retry x\d+\))?$`)
	vitestHead = regex.New(`^(\S.*?) \(\d+ tests?\b[^)]*\)(?: \(retry x\d+\))?(?: \d+m?s)?$`)
)

func (v *vitestTree) line(line string) {
	files := v.filesLine
	v.filesLine = false
	switch {
	case strings.HasPrefix(line, " RUN  v"):
		v.running = true
	case strings.HasPrefix(line, " Test Files  "):
		v.filesLine = true
	case files && strings.HasPrefix(line, "      Tests  "):
		v.total.take(line)
		v.counted, v.running = true, false
		v.closes()
	case strings.HasPrefix(line, " ") && strings.ContainsAny(line, "✓√↓□×✗❯"):
		if m := vitestMark.FindStringSubmatch(line); m != nil {
			v.mark(len(m[1]), m[2], m[3], m[4] != "")
		}
	}
}

func (v *vitestTree) mark(indent int, mark, name string, suite bool) {
	if indent == 1 {
		v.suites = nil
		if m := vitestHead.FindStringSubmatch(name); m != nil {
			v.file(mark, m[1])
			return
		}
	}
	r := testPassed
	switch {
	case suite || mark == "❯":
		v.enter(indent, name)
		return
	case mark == "↓" || mark == "□":
		r = testSkipped
	case mark == "×" || mark == "✗":
		r = testFailed
	}
	v.test(indent, name, " > ", r)
}

func (v *vitestTree) file(mark, file string) {
	v.enter(1, file)
	switch mark {
	case "↓":
		v.files, v.empty = append(v.files, file), append(v.empty, file)
	case "✓", "√":
		v.files = append(v.files, file)
	}
}

func (v *vitest) clock(now *int) { v.seen.clock(now) }

// open reports whether a run has begun that has not counted its tests.
func (v *vitest) open() bool { return v.seen.running }

func (v *vitest) tally() tally {
	failed := v.failing()
	if !v.seen.counted && len(failed) == 0 {
		return tally{}
	}
	return tally{failed: failed, passed: v.seen.passed, skipped: v.seen.skipped, total: v.seen.total, counted: v.seen.counted, last: v.seen.last}.
		withUnits(v.seen.files, v.seen.empty, " > ")
}
