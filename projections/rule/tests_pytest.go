package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	pytestPassed = regex.New(`^(\S+\.py::.+?) (PASSED|XPASS|SKIPPED|XFAIL)(?: \(.*\))?(?: +\[ *\d+(?:%|/\d+)\])?$`)
	pytestByOne  = regex.New(`^\[gw\d+\] \[ *\d+%\] (PASSED|XPASS|SKIPPED|XFAIL) (\S+\.py::.+?) ?$`)
	pytestListed = regex.New(`^(PASSED|XPASS|XFAIL) (\S+::.+)$`)
	pytestDots   = regex.New(`^(\S+\.(?:py|txt|rst|md|yaml|yml|feature|ipynb)) ([.FEsxXR]+)(?: +\[ *\d+(?:%|/\d+)\])?$`)
	pytestTotal  = regex.New(`^(=+ )?((?:no tests ran|no tests collected|\d+ [a-z ]+)(?:, \d+ [a-z ]+)*(?: \([^)]*\))?) in [\d.]+s(?: \(\d+:[\d:]+\))?(?: =+)?$`)
	pytestNumber = regex.New(`(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b`)
)

const pytestStart = " test session starts "

// pytestRun is one session of pytest. A session within it was printed by a test.
type pytestRun struct {
	failed   []string
	passed   []string
	skipped  []string
	units    map[string]bool // files: whether a test of it was executed
	total    counts
	ended    bool
	subtests int // that failed, and are counted as if they were tests
	inner    []*pytestRun
}

// session is the one that the next line belongs to.
func (p *pytest) session() *pytestRun {
	if len(p.sessions) == 0 {
		p.sessions = append(p.sessions, &pytestRun{units: map[string]bool{}})
	}
	return p.sessions[len(p.sessions)-1]
}

// end closes the innermost session. What a test printed of other sessions goes
// with it.
func (p *pytest) end(numbers string) {
	p.closes()
	run := p.session()
	run.ended, run.inner = true, nil
	errors := 0
	for _, m := range pytestNumber.FindAllStringSubmatch(numbers, -1) {
		n := atoi(m[1])
		switch m[2] {
		case "passed", "xpassed":
			run.total.passed += n
		case "skipped", "xfailed":
			run.total.skipped += n
		case "failed":
			run.total.failed += max(n-run.subtests, 0)
		default:
			errors += n
		}
	}
	if run.total.failed == 0 { // a test that failed can have an error too
		run.total.failed = errors
	}
	if run.total.failed == 0 {
		run.failed = nil
	}
	p.leave()
}

func (p *pytest) leave() {
	run := p.sessions[len(p.sessions)-1]
	p.sessions = p.sessions[:len(p.sessions)-1]
	if len(p.sessions) > 0 {
		outer := p.sessions[len(p.sessions)-1]
		outer.inner = append(outer.inner, run)
		return
	}
	p.runs = append(p.runs, run)
}

// count reads what the lines say beyond failures.
func (p *pytest) count(line string) {
	if line == "" {
		return
	}
	if c := line[0]; c == '=' || digit(c) || c == 'n' {
		switch m := pytestTotal.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "===") && strings.Contains(line, pytestStart):
			p.known = true
			p.sessions = append(p.sessions, &pytestRun{units: map[string]bool{}})
		case m != nil && (pytestNumber.MatchString(m[2]) || strings.HasPrefix(m[2], "no tests")):
			p.end(m[2])
		}
		return
	}
	switch {
	case p.inSummary && strings.HasPrefix(line, "SUBFAIL"):
		p.session().subtests++
	case p.inSummary:
		if m := pytestListed.FindStringSubmatch(line); m != nil {
			p.mark(m[1], pytestID(m[2]))
		}
	case strings.Contains(line, ".py::"):
		if m := pytestPassed.FindStringSubmatch(line); m != nil {
			p.mark(m[2], m[1])
		} else if m := pytestByOne.FindStringSubmatch(line); m != nil {
			p.mark(m[1], m[2])
		}
	case strings.IndexByte(line, '.') > 0:
		if m := pytestDots.FindStringSubmatch(line); m != nil {
			units := p.session().units
			units[m[1]] = units[m[1]] || strings.ContainsAny(m[2], ".FEX")
		}
	}
}

func (p *pytest) mark(result, id string) {
	run := p.session()
	file, _, _ := strings.Cut(id, "::")
	switch result {
	case "PASSED", "XPASS":
		run.passed = append(run.passed, id)
		run.units[file] = true
	default:
		run.skipped = append(run.skipped, id)
		if _, seen := run.units[file]; !seen {
			run.units[file] = false
		}
	}
}

// open reports whether a session has begun that has not counted its tests.
func (p *pytest) open() bool { return p.known && len(p.sessions) > 0 }

func (p *pytest) tally() tally {
	for len(p.sessions) > 0 {
		p.leave()
	}
	var t tally
	for _, run := range p.runs {
		t.pytest(run)
	}
	if !t.counted && len(t.failed) == 0 && !p.known {
		return tally{}
	}
	t.last = p.last
	return t
}

func (t *tally) pytest(run *pytestRun) {
	t.counted = t.counted || run.ended
	t.total.add(run.total)
	t.failed = append(t.failed, run.failed...)
	t.passed = append(t.passed, run.passed...)
	t.skipped = append(t.skipped, run.skipped...)
	bad, named := filesOf(run.failed), filesOf(run.passed)
	for file, executed := range run.units {
		if bad[file] {
			continue
		}
		t.units = append(t.units, file)
		switch {
		case !executed:
			t.empty = append(t.empty, file)
		case !named[file]:
			t.unnamed = append(t.unnamed, file)
		}
	}
	for _, inner := range run.inner {
		t.pytest(inner)
	}
}

func filesOf(ids []string) map[string]bool {
	files := map[string]bool{}
	for _, id := range ids {
		file, _, _ := strings.Cut(id, "::")
		files[file] = true
	}
	return files
}
