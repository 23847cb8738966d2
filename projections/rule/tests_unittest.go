package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	unittestRan   = regex.New(`^Ran (\d+) tests? in [\d.]+s$`)
	unittestNote  = regex.New(`(failures|errors|skipped|expected failures|unexpected successes)=(\d+)`)
	unittestBegin = regex.New(`^ *(\S+) \(([\w.<>-]+)\)(?: (\S.*))?$`)
)

// count reads how many tests ran, and how it went.
func (u *unittest) count(line string) {
	switch {
	case strings.HasPrefix(line, "Ran "):
		if m := unittestRan.FindStringSubmatch(line); m != nil {
			u.run, u.ran, u.counted = atoi(m[1]), true, true
			u.closes()
		}
	case !u.ran:
	case line == "OK" || strings.HasPrefix(line, "OK (") || strings.HasPrefix(line, "FAILED ("):
		var c counts
		for _, m := range unittestNote.FindAllStringSubmatch(line, -1) {
			switch m[1] {
			case "skipped", "expected failures":
				c.skipped += atoi(m[2])
			default:
				c.failed += atoi(m[2])
			}
		}
		c.skipped = min(c.skipped, u.run)
		if u.run > 0 { // failures of subtests are more than the tests that have them
			c.failed = min(c.failed, max(u.run-c.skipped, 1))
		}
		c.passed = max(u.run-c.failed-c.skipped, 0)
		u.total.add(c)
		u.closes()
		u.run, u.ran = 0, false
	}
}

// verbose reads the lines of -v. What a test prints can stand before its result.
func (u *unittest) verbose(line string) {
	head, result, dotted := strings.Cut(line, " ... ")
	if strings.Contains(head, " (") {
		if m := unittestBegin.FindStringSubmatch(head); m != nil {
			u.open = unittestID(m[1], m[2], m[3])
		}
	}
	if u.open == "" {
		return
	}
	if !dotted {
		result = line
	}
	switch {
	case result == "ok":
		u.passed = append(u.passed, u.open)
	case strings.HasPrefix(result, "skipped ") || result == "expected failure":
		u.skipped = append(u.skipped, u.open)
	case result == "FAIL" || result == "ERROR" || result == "unexpected success":
	default:
		return
	}
	u.open = ""
}

func (u *unittest) tally() tally {
	t := tally{failed: u.failing(), total: u.total, counted: u.counted, last: u.last}
	if u.counted || len(t.failed) > 0 {
		t.passed, t.skipped = u.passed, u.skipped
	}
	return t
}
