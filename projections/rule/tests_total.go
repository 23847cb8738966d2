package rule

import (
	"strings"

	"autopilot/projections/regex"
)

// totals reads the numbers that a runner of its own ends with: "Tests failed: 6",
// "6 tests failed", "2 failing", "8/10 tests passed". Only a line that says nothing
// else counts, so that no warning is taken for one. Of lines that differ in numbers
// alone the last counts.
type totals struct {
	lines map[string]totalLine // by what stands around the numbers
}

type totalLine struct {
	at int
	counts
	failures bool // it says how many failed
}

var (
	totalAfter  = regex.New(`\b(passed|passes|passing|successes|succeeded|failed|failures?|failing|skipped|pending|ignored)\s*[:=]\s*(\d+)\b`)
	totalBefore = regex.New(`\b(\d+) *(?:tests?|specs?|examples?|cases?|checks?|scenarios?|assertions?|suites?)? *(passed|passes|passing|succeeded|failed|failures?|failing|skipped|pending|ignored)\b`)
	totalOf     = regex.New(`\b(\d+) ?(?:/|of|out of) ?(\d+) (?:tests? |specs? |cases? |checks? |scenarios? )?(?:passed|passing|ok|succeeded)\b|\b(?:passed|passing)[: ]+(\d+) ?(?:/|of|out of) ?(\d+)\b`)
	digits      = regex.New(`\d+`)
)

const maxTotalLine = 160

// totalWords are all that such a line is made of.
var totalWords = wordSet(`passed passes passing successes succeeded failed failure failures failing skipped pending ignored
	test tests spec specs example examples case cases check checks scenario scenarios assertion assertions suite suites
	total result results summary of out in and with were ran run done finished completed executed ok pass fail success
	ms s sec second seconds took duration time error errors warning warnings`)

func (t *totals) line(at int, line string) {
	if len(line) > maxTotalLine || !onlyTotals(line) {
		return
	}
	line = strings.ToLower(line)
	found := totalLine{at: at}
	rest := totalOf.ReplaceAllStringFunc(line, found.fraction)
	rest = totalAfter.ReplaceAllStringFunc(rest, func(s string) string {
		m := totalAfter.FindStringSubmatch(s)
		return found.kind(m[1], m[2])
	})
	rest = totalBefore.ReplaceAllStringFunc(rest, func(s string) string {
		m := totalBefore.FindStringSubmatch(s)
		return found.kind(m[2], m[1])
	})
	if rest == line {
		return
	}
	if t.lines == nil {
		t.lines = map[string]totalLine{}
	}
	t.lines[digits.ReplaceAllString(line, "#")] = found
}

// onlyTotals reports whether a line has numbers, and words of totals alone.
func onlyTotals(line string) bool {
	number := false
	var word [12]byte
	n := 0
	for i := 0; i <= len(line); i++ {
		var c byte
		if i < len(line) {
			c = line[i] | 0x20 // a small letter, of letters
		}
		switch {
		case c >= 'a' && c <= 'z' && n == len(word):
			return false
		case c >= 'a' && c <= 'z':
			word[n] = c
			n++
			continue
		case n > 0 && !totalWords[string(word[:n])]:
			return false
		}
		n = 0
		number = number || i < len(line) && digit(line[i])
	}
	return number
}

func (l *totalLine) fraction(s string) string {
	m := totalOf.FindStringSubmatch(s)
	passed, of := atoi(m[1]+m[3]), atoi(m[2]+m[4])
	l.passed += passed
	l.failed += max(of-passed, 0)
	l.failures = true
	return " "
}

func (l *totalLine) kind(word, number string) string {
	switch n := atoi(number); word[:4] {
	case "pass", "succ":
		l.passed += n
	case "fail":
		l.failed += n
		l.failures = true
	default:
		l.skipped += n
	}
	return " "
}

// behind is what the lines say that stand behind all that a known runner has
// counted. A suite that says only how many failed stands as a unit.
func (t *totals) behind(last int) tally {
	var out tally
	for shape, l := range t.lines {
		if l.at <= last {
			continue
		}
		out.total.passed = max(out.total.passed, l.passed)
		out.total.failed = max(out.total.failed, l.failed)
		out.total.skipped = max(out.total.skipped, l.skipped)
		if l.failures && l.failed == 0 && l.passed == 0 {
			out.units = append(out.units, shape)
		}
	}
	if out.total.passed > 0 {
		out.counted, out.units = true, nil
		return out
	}
	out.unnamed = out.units
	return out
}
