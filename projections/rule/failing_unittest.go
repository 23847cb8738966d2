package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	unittestTitle = regex.New(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \(([\w.<>-]+)\)(?: (\S.*))?$`)
	unittestEnd   = regex.New(`^FAILED \((?:failures|errors|unexpected successes|skipped|expected failures)=`)
)

const (
	unittestRule     = "======================================================================"
	unittestNoImport = "unittest.loader._FailedTest"
)

// unittest reads what Python's unittest prints, as python -m unittest and
// Django's runner do: a block for each failure, under a line of equal signs,
// and at the end how it went.
type unittest struct {
	lineCount
	ids   []string
	held  []string // of a run that has not said how it ended
	below bool     // the line before was a rule

	run             int  // by the count of a run that has not said how it ended
	ran             bool // there is such a count
	total           counts
	counted         bool
	open            string // that a line of -v has named, and whose result comes later
	passed, skipped []string
}

func (u *unittest) line(line string) {
	u.verbose(line)
	u.count(line)
	below := u.below
	u.below = line == unittestRule
	switch {
	case below:
		if m := unittestTitle.FindStringSubmatch(line); m != nil {
			u.held = append(u.held, unittestID(m[1], m[2], m[3]))
			u.below = strings.HasPrefix(line, "UNEXPECTED") // they are a list under one rule
		}
	case line == "OK" || strings.HasPrefix(line, "OK ("):
		u.held = nil
	case unittestEnd.MatchString(line):
		u.ids, u.held = append(u.ids, u.held...), nil
	}
}

func (u *unittest) failing() []string { return append(u.ids, u.held...) }

// unittestID is module.Class.test, and what tells subtests apart. Since Python
// 3.11 the name of the test stands behind its class too.
func unittestID(name, where, sub string) string {
	if where == unittestNoImport || where == unittestNoImport+"."+name {
		return name + " [import failed]"
	}
	id := where
	if !strings.HasSuffix(where, "."+name) {
		id += "." + name
	}
	if sub != "" {
		id += " " + sub
	}
	return id
}
