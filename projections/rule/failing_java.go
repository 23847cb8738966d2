package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	surefireLine  = regex.New(`^(?:\[[A-Z]+\] +)?(\S.*?)(?: --)? +Time elapsed: [\d.,]+ \S+ +<<< (?:FAILURE|ERROR)!(?: --? in (\S+))?$`)
	surefireOld   = regex.New(`^([^\s.()]+)\(([\w.$]+)\)$`)
	surefireShort = regex.New(`^\[ERROR\] {2,}([\w$][\w$.\[\]()]*)(?:[:\s]|->|$)`)
)

// surefire reads the console of Maven's surefire and failsafe: the line of each
// test, else the list at the end, whose names have no package.
type surefire struct {
	tests   []string
	classes []string // that have failures
	short   []string
	marks   []string
	list    bool // within the list at the end
	seen    surefireSeen
}

func (s *surefire) line(line string) {
	s.seen.line(line)
	switch {
	case strings.Contains(line, " <<< "):
		if m := surefireLine.FindStringSubmatch(line); m != nil {
			s.result(m[1], m[2])
		}
	case !strings.HasPrefix(line, "[ERROR]"):
	case strings.HasPrefix(line, "[ERROR] Failures:") || strings.HasPrefix(line, "[ERROR] Errors:"):
		s.list = true
	case strings.HasPrefix(line, "[ERROR] Tests run:"):
		s.list = false
	case strings.HasPrefix(line, "[ERROR] COMPILATION ERROR"):
		s.marks = append(s.marks, "[compilation error]")
	case strings.Contains(line, "The forked VM terminated without"):
		s.marks = append(s.marks, "[vm crashed]")
	case s.list:
		if m := surefireShort.FindStringSubmatch(line); m != nil {
			s.short = append(s.short, m[1])
		}
	}
}

// result takes the line of a class or of a test.
func (s *surefire) result(name, class string) {
	if strings.HasPrefix(name, "Tests run:") {
		if class != "" {
			s.classes = append(s.classes, class)
		}
		return
	}
	if m := surefireOld.FindStringSubmatch(name); m != nil {
		name = m[2] + "." + m[1]
	}
	s.tests = append(s.tests, name)
}

func (s *surefire) failing() []string {
	ids := append(s.tests, s.marks...)
	if len(s.tests) == 0 {
		ids = append(ids, s.short...)
	}
	named := map[string]bool{}
	for _, t := range s.tests {
		for i := range min(len(t), maxIDBytes) {
			if t[i] == '.' || t[i] == '$' || t[i] == '(' {
				named[t[:i]] = true
			}
		}
		named[t] = true
	}
	for _, c := range s.classes {
		if !named[c] {
			ids = append(ids, c+" [failed]")
		}
	}
	return ids
}

var (
	gradleTest = regex.New(`^(\w\S* > .*\S) FAILED$`)
	gradleTask = regex.New(`^> Task (:\S+) FAILED$`)
)

// gradle reads the console of Gradle. A task that failed is named only where no
// test is: else it failed for the tests.
type gradle struct {
	tests, tasks []string
	known        bool // it is Gradle, beyond doubt
	seen         gradleSeen
}

func (g *gradle) line(line string) {
	g.seen.line(line)
	switch {
	case strings.HasPrefix(line, "> Task :"):
		g.known = true
		if m := gradleTask.FindStringSubmatch(line); m != nil {
			g.tasks = append(g.tasks, m[1]+" [failed]")
		}
	case strings.HasPrefix(line, "BUILD FAILED") || line == "FAILURE: Build failed with an exception.":
		g.known = true
	case strings.HasSuffix(line, " FAILED"):
		if m := gradleTest.FindStringSubmatch(line); m != nil {
			g.tests = append(g.tests, m[1])
		}
	}
}

func (g *gradle) failing() []string {
	switch {
	case !g.known:
		return nil
	case len(g.tests) > 0:
		return g.tests
	}
	return g.tasks
}
