package rule

import (
	"regexp"
	"strings"
)

var (
	nodeTest = regexp.MustCompile(`^([✖✔▶]) (\S.*?) \([\d.]+ms\)( # ?.*)?$`)
	nodeFail = regexp.MustCompile(`^ℹ fail \d+$`)
)

// nodeCancelled follows the mark of a test that was not run to its end, which
// has no time.
const nodeCancelled = "'test did not finish"

// nodeSpec reads the spec reporter of node --test: the marks before its
// statistics, as the list behind them does not name suites.
type nodeSpec struct {
	nest  nest
	known bool    // there are statistics: all has been said
	held  *marked // without a time, so that the next line decides
}

type marked struct {
	indent int
	name   string
}

func (n *nodeSpec) line(line string) {
	text := strings.TrimLeft(line, " ")
	if n.held != nil {
		if strings.HasPrefix(text, nodeCancelled) {
			n.nest.end(n.held.indent, n.held.name, true)
		}
		n.held = nil
	}
	switch {
	case n.known || text == "":
	case strings.HasPrefix(text, "✖ ") || strings.HasPrefix(text, "✔ ") || strings.HasPrefix(text, "▶ "):
		n.mark(len(line)-len(text), text)
	case strings.HasPrefix(line, "ℹ fail "):
		n.known = nodeFail.MatchString(line)
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
	noted := strings.Contains(note, "# TODO") || strings.Contains(note, "# SKIP")
	// Older versions end a suite with the mark that it began with.
	failed := m[1] == "✖" || m[1] == "▶" && n.nest.hasBelow(indent)
	n.nest.end(indent, m[2], failed && !noted)
}

func (n *nodeSpec) failing() []string {
	if !n.known {
		return nil
	}
	return n.nest.fails()
}
