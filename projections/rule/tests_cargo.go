package rule

import (
	"path"
	"strings"

	"autopilot/projections/regex"
)

var (
	cargoRun    = regex.New(`^ +Running (?:unittests )?\S+ \((\S+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)$`)
	cargoDoc    = regex.New(`^ +Doc-tests (\S+)$`)
	cargoPassed = regex.New(`^test (\S.*?)(?: - (?:should panic|compile fail|compile))? \.\.\. (ok|ignored)(?:, .*)?(?: <[\d.]+s>)?$`)
	cargoResult = regex.New(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;`)
)

// cargoSeen reads what cargo test says of tests that pass, and its numbers.
type cargoSeen struct {
	lineCount
	scope           string // the crate whose tests run
	passed, skipped []string
	total           counts
	counted         bool
}

func (c *cargoSeen) line(line string, running bool) {
	switch {
	case strings.HasPrefix(line, "test result: ") && running:
		if m := cargoResult.FindStringSubmatch(line); m != nil {
			c.total.add(counts{passed: atoi(m[1]), failed: atoi(m[2]), skipped: atoi(m[3])})
			c.counted = true
			c.closes()
		}
	case running && strings.HasPrefix(line, "test "):
		if m := cargoPassed.FindStringSubmatch(line); m != nil {
			id := strings.TrimSpace(c.scope + " " + m[1])
			if m[2] == "ok" {
				c.passed = append(c.passed, id)
			} else {
				c.skipped = append(c.skipped, id)
			}
		}
	case strings.HasPrefix(line, "     Running "):
		if m := cargoRun.FindStringSubmatch(line); m != nil {
			c.scope = path.Base(m[1])
		}
	case strings.HasPrefix(line, "   Doc-tests "):
		if m := cargoDoc.FindStringSubmatch(line); m != nil {
			c.scope = m[1]
		}
	}
}

func (c *cargo) clock(now *int) { c.seen.clock(now) }

// open reports whether a test binary runs.
func (c *cargo) open() bool { return c.target.running }

func (c *cargo) tally() tally {
	s := &c.seen
	return tally{failed: c.failing(), passed: s.passed, skipped: s.skipped, total: s.total, counted: s.counted, last: s.last}
}

// cargoKeys are what an id of cargo can be compared by: a test that fails is named
// by what runs it again ("my-crate::it a", or "it a" in a package of its own), one
// that passes by its binary ("it a").
func cargoKeys(id string) (scoped, bare string) {
	scope, name := "", id
	from := strings.Index(id, ".rs - ")
	if from < 0 {
		from = len(id)
	}
	if i := strings.LastIndexByte(id[:from], ' '); i >= 0 {
		scope, name = id[:i], id[i+1:]
	}
	name = docLine.ReplaceAllString(name, "")
	scope = strings.ReplaceAll(scope[strings.LastIndexAny(scope, ":/")+1:], "-", "_")
	if scope == "" {
		return name, name
	}
	return scope + " " + name, name
}

// nextest reads cargo nextest. What it tries again is no result yet.
type nextest struct {
	lineCount
	marks
	ended   map[string]bool
	total   counts
	counted bool
}

var (
	nextestMark = regex.New(`^ +(PASS|FAIL|SKIP|LEAK|FLAKY \d+/\d+|SIG[A-Z]+|TIMEOUT|TRY \d+ PASS) \[ *(?:>? *[\d.]+s|-+)? *\](?: +\( *\d+/\d+\))? +(\S.*)$`)
	nextestOver = regex.New(`(\d+) (?:timed|exec)`)
	nextestEnd  = regex.New(`^ +Summary \[ *[\d.]+s\] +[\d/]+ tests? run: (.*)$`)
)

func (n *nextest) line(line string) {
	if !strings.HasPrefix(line, "  ") || !strings.Contains(line, " [") {
		return
	}
	if m := nextestEnd.FindStringSubmatch(line); m != nil {
		n.total.take(m[1])
		for _, over := range nextestOver.FindAllStringSubmatch(m[1], -1) {
			n.total.failed += atoi(over[1])
		}
		n.counted = true
		n.closes()
		return
	}
	m := nextestMark.FindStringSubmatch(line)
	if m == nil || n.ended[m[2]] {
		return
	}
	if n.ended == nil {
		n.ended = map[string]bool{}
	}
	n.ended[m[2]] = true // failures are listed again at the end
	r := testFailed
	switch {
	case m[1] == "PASS" || m[1] == "LEAK" || strings.HasPrefix(m[1], "FLAKY") || strings.HasPrefix(m[1], "TRY"):
		r = testPassed
	case m[1] == "SKIP":
		r = testSkipped
	}
	n.test(0, m[2], "", r)
}

func (n *nextest) tally() tally {
	if !n.counted {
		return tally{}
	}
	return n.marks.tally(n.total, n.lineCount)
}

// tally is what was gathered, of a runner that counts.
func (m *marks) tally(total counts, at lineCount) tally {
	return tally{passed: m.passed, failed: m.failed, skipped: m.skipped, total: total, counted: true, last: at.last}
}
