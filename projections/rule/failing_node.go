package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	nodeTest = regex.New(`^([✖✔▶﹣]) (\S.*?) \([\d.]+ms\)( # ?.*)?$`)
	nodeStat = regex.New(`^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$`)
)

// nodeCancelled follows the mark of a test that was not run to its end, which
// has no time.
const nodeCancelled = "'test did not finish"

// nodeSpec reads the spec reporter of node --test: the marks before its
// statistics, as the list behind them does not name suites.
type nodeSpec struct {
	nest  nest
	known bool // there are statistics: all has been said
	lineCount
	block    counts // of the statistics that are being read
	total    counts
	counting bool
	held     *marked // without a time, so that the next line decides
}

type marked struct {
	indent int
	name   string
}

func (n *nodeSpec) line(line string) {
	text := strings.TrimLeft(line, " ")
	if n.held != nil {
		if strings.HasPrefix(text, nodeCancelled) {
			n.nest.end(n.held.indent, n.held.name, testFailed)
		}
		n.held = nil
	}
	switch {
	case strings.HasPrefix(line, "ℹ "):
		if m := nodeStat.FindStringSubmatch(line); m != nil {
			n.known = n.known || m[1] == "fail"
			n.stat(m[1], m[2])
		}
	case n.known || text == "":
	case strings.HasPrefix(text, "✖ ") || strings.HasPrefix(text, "✔ ") || strings.HasPrefix(text, "▶ ") || strings.HasPrefix(text, "﹣ "):
		n.mark(len(line)-len(text), text)
	}
}

func (n *nodeSpec) mark(indent int, text string) {
	m := nodeTest.FindStringSubmatch(text)
	if m == nil {
		if name, failed := strings.CutPrefix(text, "✖ "); failed {
			n.held = &marked{indent, name}
		}
		return
	}
	note := strings.ToUpper(m[3])
	result := testPassed
	switch {
	case m[1] == "﹣" || strings.Contains(note, "# TODO") || strings.Contains(note, "# SKIP"):
		result = testSkipped
	// Older versions end a suite with the mark that it began with.
	case m[1] == "✖" || m[1] == "▶" && n.nest.hasBelow(indent):
		result = testFailed
	}
	n.nest.end(indent, m[2], result)
}

func (n *nodeSpec) failing() []string {
	if !n.known {
		return nil
	}
	return n.nest.all(testFailed)
}

func (n *nodeSpec) tally() tally {
	if !n.known {
		return tally{}
	}
	t := n.nest.tally()
	t.total, t.counted, t.last = n.total, n.last > 0, n.last
	return t
}

// stat takes one of the numbers at the end, which count only together: the number of
// tests is the first of them.
func (n *nodeSpec) stat(name, number string) {
	switch name {
	case "tests":
		n.block, n.counting = counts{}, true
	case "todo":
		n.block.stat(name, number)
		if n.counting {
			n.total.add(n.block)
			n.counting = false
			n.closes()
		}
	default:
		n.block.stat(name, number)
	}
}

// stat takes one of the numbers that node --test ends with. A test that is to do
// counts as skipped, however it ended.
func (c *counts) stat(name, number string) {
	switch name {
	case "pass", "ok":
		c.passed += atoi(number)
	case "fail", "cancelled":
		c.failed += atoi(number)
	case "skip", "skipped", "todo":
		c.skipped += atoi(number)
	}
}

// atoi is a number of tests, as far as one can be believed.
func atoi(s string) int {
	n := 0
	for i := 0; i < len(s) && n < 1e8; i++ {
		if digit(s[i]) {
			n = 10*n + int(s[i]-'0')
		}
	}
	return n
}
