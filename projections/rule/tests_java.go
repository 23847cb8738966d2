package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var surefireCount = regex.New(`^(?:\[[A-Z]+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Time elapsed: [\d.,]+ \S+(?: <<< \w+!)?(?: --?)? in (\S+))?$`)

// surefireSeen reads the numbers of each class, and those of a module.
type surefireSeen struct {
	lineCount
	units, empty []string
	total        counts
	counted      bool
}

func (s *surefireSeen) line(line string) {
	if !strings.Contains(line, "Tests run: ") {
		return
	}
	m := surefireCount.FindStringSubmatch(line)
	if m == nil {
		return
	}
	run, failed, skipped := atoi(m[1]), atoi(m[2])+atoi(m[3]), atoi(m[4])
	switch {
	case m[5] == "":
		s.total.add(counts{passed: max(run-failed-skipped, 0), failed: failed, skipped: skipped})
		s.counted = true
		s.closes()
	case failed == 0:
		s.units = append(s.units, m[5])
		if run <= skipped {
			s.empty = append(s.empty, m[5])
		}
	}
}

func (s *surefire) clock(now *int) { s.seen.clock(now) }

func (s *surefire) tally() tally {
	return tally{failed: s.failing(), total: s.seen.total, counted: s.seen.counted, last: s.seen.last}.withUnits(s.seen.units, s.seen.empty, "")
}

var (
	gradleMark  = regex.New(`^(\w\S* > .*\S) (PASSED|SKIPPED)$`)
	gradleState = regex.New(`^> Task (:\S+)(?: ([A-Z][A-Z-]+))?$`)
	gradleTests = regex.New(`(?:^|:)(?:test|\w+Test|test\w+UnitTest)$`)
	gradleCount = regex.New(`^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$`)
)

// gradleSeen reads which test tasks ran. Gradle counts tests only where some fail,
// and names them only where the build asks it to.
type gradleSeen struct {
	lineCount
	marks
	tasks map[string]string // by name, what became of it
	total counts
}

func (g *gradleSeen) line(line string) {
	switch {
	case strings.HasPrefix(line, "> Task :"):
		if m := gradleState.FindStringSubmatch(line); m != nil && gradleTests.MatchString(m[1]) {
			if g.tasks == nil {
				g.tasks = map[string]string{}
			}
			g.tasks[m[1]] = m[2]
			g.closes()
		}
	case strings.HasPrefix(line, "BUILD "):
		g.closes()
	case strings.HasSuffix(line, " PASSED") || strings.HasSuffix(line, " SKIPPED"):
		if m := gradleMark.FindStringSubmatch(line); m != nil {
			r := testPassed
			if m[2] == "SKIPPED" {
				r = testSkipped
			}
			g.test(0, m[1], "", r)
		}
	case strings.Contains(line, " completed, "):
		if m := gradleCount.FindStringSubmatch(line); m != nil {
			failed, skipped := atoi(m[2]), atoi(m[3])
			g.total.add(counts{passed: max(atoi(m[1])-failed-skipped, 0), failed: failed, skipped: skipped})
		}
	}
}

func (g *gradle) clock(now *int) { g.seen.clock(now) }

func (g *gradle) tally() tally {
	failed := g.failing()
	if !g.known {
		return tally{}
	}
	t := tally{failed: failed, passed: g.seen.passed, skipped: g.seen.skipped, total: g.seen.total, last: g.seen.last}
	for task, state := range g.seen.tasks {
		switch state {
		case "FAILED":
			continue
		case "NO-SOURCE", "SKIPPED":
			t.empty = append(t.empty, task)
			if state == "NO-SOURCE" {
				t.bare = append(t.bare, task)
			}
		default:
			if len(t.passed) == 0 {
				t.unnamed = append(t.unnamed, task)
			}
		}
		t.units = append(t.units, task)
	}
	return t
}
