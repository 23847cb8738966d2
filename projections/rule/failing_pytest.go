package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	pytestResult   = regex.New(`^(?:FAILED|ERROR) (\S.*)$`)
	pytestProgress = regex.New(`^(\S+\.py(?:::.+)?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$`)
	pytestWorker   = regex.New(`^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (\S+\.py(?:::.+)?) ?$`)
)

const pytestSummary = "short test summary info"

// pytest reads the short summary of pytest, and the lines of -v and of xdist for
// runs that print no summary.
type pytest struct {
	lineCount
	ids       []string
	inSummary bool

	known          bool // a session began
	sessions, runs []*pytestRun
}

func (p *pytest) line(line string) {
	before := len(p.ids)
	p.find(line)
	if found := p.ids[before:]; len(found) > 0 {
		run := p.session()
		run.failed = append(run.failed, found...)
	}
	p.count(line)
}

func (p *pytest) find(line string) {
	switch {
	case strings.HasPrefix(line, "==="):
		p.inSummary = strings.Contains(line, pytestSummary)
	case p.inSummary:
		if m := pytestResult.FindStringSubmatch(line); m != nil {
			p.ids = append(p.ids, pytestID(m[1]))
		}
	case strings.Contains(line, ".py") && (strings.Contains(line, "FAILED") || strings.Contains(line, "ERROR")):
		if m := pytestProgress.FindStringSubmatch(line); m != nil {
			p.ids = append(p.ids, m[1])
		} else if m := pytestWorker.FindStringSubmatch(line); m != nil {
			p.ids = append(p.ids, m[1])
		}
	}
}

func (p *pytest) failing() []string { return p.ids }

// pytestID cuts the message behind a node id. The brackets of a parameter can
// hold what else ends an id.
func pytestID(s string) string {
	_, test, _ := strings.Cut(s, "::")
	if open := strings.IndexByte(test, '['); open >= 0 && !strings.Contains(test[:open], " - ") {
		from := len(s) - len(test) + open
		if end := strings.Index(s[from:], "] - "); end >= 0 {
			return s[:from+end+1]
		}
		if strings.HasSuffix(s, "]") {
			return s
		}
	}
	id, _, _ := strings.Cut(s, " - ")
	return id
}
