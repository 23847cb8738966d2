package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	mochaEnd  = regex.New(`^ +(\d+ passing) \(\d+(?:ms|s|m)\)$`)
	mochaMore = regex.New(`^ +(\d+ (?:pending|failing))$`)
	mochaPart = regex.New(`^ +(?:\d+\) )?(\S.*?)(:?)$`)
)

// mocha reads the numbers of mocha, and the list of failures behind them. What a
// test prints looks like a suite, so tests that pass have no sure name.
type mocha struct {
	lineCount
	total   counts
	counted bool
	ending  bool     // the line before was a number
	path    []string // of the failure whose title is read
	failed  []string
	open    bool
}

func (m *mocha) line(line string) {
	switch {
	case strings.Contains(line, " passing (") && mochaEnd.MatchString(line):
		m.total.take(mochaEnd.FindStringSubmatch(line)[1])
		m.counted, m.ending = true, true
		m.closes()
	case m.ending && mochaMore.MatchString(line):
		m.total.take(mochaMore.FindStringSubmatch(line)[1])
		m.closes()
	case m.ending && strings.HasPrefix(line, "  ") && digitParen(line[2:]):
		m.open, m.path = true, nil
		m.part(line)
	case m.open:
		m.part(line)
	case line != "" && line[0] != ' ':
		m.ending = false
	}
}

// part reads one line of the title of a failure, which a colon ends.
func (m *mocha) part(line string) {
	p := mochaPart.FindStringSubmatch(line)
	if p == nil {
		m.open = false
		return
	}
	m.path = append(m.path, p[1])
	if p[2] == ":" {
		m.failed = append(m.failed, strings.Join(m.path, " > "))
		m.open = false
	}
}

// digitParen reports whether a text begins with "1) ".
func digitParen(s string) bool {
	i := 0
	for i < len(s) && digit(s[i]) {
		i++
	}
	return i > 0 && strings.HasPrefix(s[i:], ") ")
}

func (m *mocha) tally() tally {
	if !m.counted {
		return tally{}
	}
	return tally{failed: m.failed, total: m.total, counted: true, partial: true, last: m.last}
}

var (
	bunMark = regex.New(`^\((pass|fail|skip|todo)\) (\S.*?)(?: \[[\d.]+m?s\])?$`)
	bunFile = regex.New(`^(\S+\.[cm]?[jt]sx?):$`)
	bunStat = regex.New(`^ +(\d+ (?:pass|fail|skip|todo))$`)
	bunEnd  = regex.New(`^Ran \d+ tests? across \d+ files?\.`)
)

// bun reads bun test.
type bun struct {
	lineCount
	marks
	block, total counts
	counted      bool
}

func (b *bun) line(line string) {
	if line == "" {
		return
	}
	switch line[0] {
	case '(':
		if m := bunMark.FindStringSubmatch(line); m != nil {
			b.test(1, m[2], " > ", map[string]result{"pass": testPassed, "fail": testFailed, "skip": testSkipped, "todo": testSkipped}[m[1]])
		}
	case ' ':
		if m := bunStat.FindStringSubmatch(line); m != nil {
			b.block.take(m[1])
		}
	case 'R':
		if bunEnd.MatchString(line) {
			b.total.add(b.block)
			b.block, b.counted = counts{}, true
			b.closes()
		}
	default:
		if line[len(line)-1] == ':' && bunFile.MatchString(line) {
			b.enter(0, strings.TrimSuffix(line, ":"))
		}
	}
}

func (b *bun) tally() tally {
	if !b.counted {
		return tally{}
	}
	return b.marks.tally(b.total, b.lineCount)
}

var (
	denoFile = regex.New(`^running \d+ tests? from (\S+)$`)
	denoMark = regex.New(`^(\S.*?) \.\.\. (ok|FAILED|ignored)(?: \(\S+\))?$`)
	denoEnd  = regex.New(`^(?:ok|FAILED) \| (\d+ passed.*) \([\dms.]+\)$`)
)

// deno reads deno test.
type deno struct {
	lineCount
	marks
	total   counts
	counted bool
}

func (d *deno) line(line string) {
	switch {
	case strings.HasPrefix(line, "running "):
		if m := denoFile.FindStringSubmatch(line); m != nil {
			d.enter(0, m[1])
		}
	case strings.HasPrefix(line, "ok | ") || strings.HasPrefix(line, "FAILED | "):
		if m := denoEnd.FindStringSubmatch(line); m != nil {
			d.total.take(m[1])
			d.counted = true
			d.closes()
		}
	case len(d.suites) > 0 && strings.Contains(line, " ... "):
		if m := denoMark.FindStringSubmatch(line); m != nil {
			d.test(1, m[1], " > ", map[string]result{"ok": testPassed, "FAILED": testFailed, "ignored": testSkipped}[m[2]])
		}
	}
}

func (d *deno) tally() tally {
	if !d.counted {
		return tally{}
	}
	return d.marks.tally(d.total, d.lineCount)
}

var (
	playwrightRun  = regex.New(`^Running \d+ tests? using \d+ workers?`)
	playwrightStat = regex.New(`^  (\d+) (passed|failed|flaky|skipped|did not run|interrupted)(?: \([\d.]+m?s?\))?$`)
)

// playwright reads the numbers of Playwright. A flaky test passed when it was run
// again.
type playwright struct {
	lineCount
	known   bool
	total   counts
	counted bool
}

func (p *playwright) line(line string) {
	switch {
	case strings.HasPrefix(line, "Running "):
		p.known = p.known || playwrightRun.MatchString(line)
	case p.known && strings.HasPrefix(line, "  "):
		m := playwrightStat.FindStringSubmatch(line)
		if m == nil {
			return
		}
		switch m[2] {
		case "passed", "flaky":
			p.total.passed += atoi(m[1])
		case "failed", "interrupted":
			p.total.failed += atoi(m[1])
		default:
			p.total.skipped += atoi(m[1])
		}
		p.counted = true
		p.closes()
	}
}

func (p *playwright) tally() tally {
	return tally{total: p.total, counted: p.counted, partial: true, last: p.last}
}
