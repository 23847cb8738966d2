package rule

import (
	"regexp"
	"strings"
)

var (
	pytestResult   = regexp.MustCompile(`^(?:FAILED|ERROR) (\S.*)$`)
	pytestProgress = regexp.MustCompile(`^(\S+\.py(?:::.+)?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$`)
	pytestWorker   = regexp.MustCompile(`^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (\S+\.py(?:::.+)?) ?$`)
)

const pytestSummary = "short test summary info"

// pytestFailing reads the short summary of pytest, and the lines of -v and of
// xdist for runs that print no summary.
func pytestFailing(output []byte) []string {
	var ids []string
	inSummary := false
	eachLine(output, func(line string) {
		switch {
		case strings.HasPrefix(line, "==="):
			inSummary = strings.Contains(line, pytestSummary)
		case inSummary:
			if m := pytestResult.FindStringSubmatch(line); m != nil {
				ids = append(ids, pytestID(m[1]))
			}
		default:
			if m := pytestProgress.FindStringSubmatch(line); m != nil {
				ids = append(ids, m[1])
			} else if m := pytestWorker.FindStringSubmatch(line); m != nil {
				ids = append(ids, m[1])
			}
		}
	})
	return ids
}

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
