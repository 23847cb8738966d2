package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	tapUses  = regex.New(`^(?:TAP version 1[234]|1\.\.\d+(?: *#.*)?)$`)
	tapTest  = regex.New(`^(not )?ok(?: +(\d+))?(?: +- | +|$)(.*)$`)
	tapNoted = regex.New(`(?i)(?:^|[^\\])#\s*(?:TODO|SKIP\S*)(?:\s|$)`)
	tapStat  = regex.New(`^# (pass|ok|fail|cancelled|skip|skipped|todo) +(\d+)$`)
	// What runners add to a name: a time, and the brace before subtests.
	tapTimed = regex.New(` *(?: # time=[\d.]+m?s| in \d+ ?(?:ms|sec)| # in [\d.]+ ?ms)?(?: \{)?$`)
)

// tap reads the Test Anything Protocol, versions 12 to 14, with subtests before
// or behind their test. Nothing that is marked as to do or skipped is failing.
type tap struct {
	nest  nest
	known bool // there is a version or a plan
	bail  bool
	yaml  int // indentation of a block of details plus one, 0 outside
	open  []tapOpen

	lineCount
	total   counts
	counted bool
}

// tapOpen is a test whose subtests follow within braces.
type tapOpen struct {
	indent int
	name   string
	result result
}

func (t *tap) line(line string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case t.yaml > 0 && (text == "" || indent >= t.yaml-1):
		if text == "..." && indent == t.yaml-1 {
			t.yaml = 0
		}
	case text == "---":
		t.yaml = indent + 1
	case text == "}":
		t.yaml = 0
		t.close(indent)
	case strings.HasPrefix(text, "ok") || strings.HasPrefix(text, "not ok"):
		t.yaml = 0
		if m := tapTest.FindStringSubmatch(text); m != nil {
			t.test(indent, m[1] != "", m[2], m[3])
		}
	case strings.HasPrefix(text, "Bail out!"):
		t.bail = true
	case indent == 0 && (strings.HasPrefix(line, "TAP ") || strings.HasPrefix(line, "1..")):
		t.yaml = 0
		t.known = t.known || tapUses.MatchString(line)
		t.closes()
	case strings.HasPrefix(line, "# "):
		t.yaml = 0
		if m := tapStat.FindStringSubmatch(line); m != nil {
			t.total.stat(m[1], m[2])
			t.closes()
			t.counted = t.counted || m[1] == "pass"
		}
	default:
		t.yaml = 0
	}
}

func (t *tap) test(indent int, failed bool, number, name string) {
	opens := strings.HasSuffix(name, " {")
	result := testPassed
	switch {
	case tapNoted.MatchString(name):
		result = testSkipped
		name = name[:tapNoted.FindStringIndex(name)[0]]
	case failed:
		result = testFailed
	}
	name = name[:tapTimed.FindStringIndex(name)[0]]
	name = strings.ReplaceAll(strings.TrimSpace(name), `\#`, "#")
	if name == "" {
		name = strings.TrimSpace("unnamed test " + number)
	}
	if opens {
		t.open = append(t.open, tapOpen{indent, name, result})
		return
	}
	t.nest.end(indent, name, result)
}

// close ends the test whose brace stood at that indentation, and with it those
// within.
func (t *tap) close(indent int) {
	for len(t.open) > 0 && t.open[len(t.open)-1].indent >= indent {
		o := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.nest.end(o.indent, o.name, o.result)
	}
}

func (t *tap) failing() []string {
	if !t.known {
		return nil
	}
	t.close(0)
	ids := t.nest.all(testFailed)
	if t.bail {
		ids = append(ids, "[bail out]")
	}
	return ids
}

func (t *tap) tally() tally {
	failed := t.failing()
	if !t.known {
		return tally{}
	}
	out := t.nest.tally()
	out.failed, out.total, out.counted, out.last = failed, t.total, t.counted, t.last
	return out
}
