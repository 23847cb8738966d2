package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	vitestFile = regex.New(`^ ❯ (\S.*?) \(\d+ tests?\b.*\)(?: \d+m?s)?$`)
	vitestTest = regex.New(`^ +[×✗] (\S.*?)(?: \(retry x\d+\))?(?: \d+m?s)?$`)
	vitestUses = regex.New(`^(?: RUN  v\d|⎯{4,}| Test Files  \d)`)
)

const (
	vitestFail      = " FAIL  "
	vitestUnhandled = "Vitest caught "
)

// vitest reads the default and the verbose reporter of vitest: its list of
// failures, or where that was cut off the marks before it.
type vitest struct {
	ids   []string // of the list
	marks []string
	file  string // whose marks these are, of the default reporter
	known bool   // it is vitest, beyond doubt
	seen  vitestTree
}

func (v *vitest) line(line string) {
	v.seen.line(line)
	switch {
	case strings.HasPrefix(line, vitestFail):
		v.ids = append(v.ids, vitestID(line[len(vitestFail):]))
	case strings.HasPrefix(line, vitestUnhandled) && strings.Contains(line, "unhandled error"):
		v.ids = append(v.ids, "[unhandled error]")
	case !v.known && vitestUses.MatchString(line):
		v.known = true
	case strings.HasPrefix(line, " ❯ ") || strings.HasPrefix(line, " ✓ "):
		v.file = ""
		if m := vitestFile.FindStringSubmatch(line); m != nil {
			v.file = m[1] + " > "
		}
	case strings.Contains(line, "×") || strings.Contains(line, "✗"):
		if m := vitestTest.FindStringSubmatch(line); m != nil {
			v.marks = append(v.marks, v.file+m[1])
		}
	}
}

func (v *vitest) failing() []string {
	switch {
	case !v.known:
		return nil
	case len(v.ids) > 0:
		return v.ids
	}
	return v.marks
}

// vitestID is a test, or a file that could not be loaded: "a.js [ a.js ]".
func vitestID(s string) string {
	if file, _, whole := strings.Cut(s, " [ "); whole && strings.HasSuffix(s, " ]") {
		return file + " [failed]"
	}
	return s
}
