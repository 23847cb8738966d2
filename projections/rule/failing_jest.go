package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	// With colours there are blanks around the word.
	jestSuite = regex.New(`^ ?(FAIL|PASS) {1,2}(\S.*?)(?: \([\d.,]+ m?s\))?$`)
	jestTotal = regex.New(`^Test Suites: .*\d+ total$`)
)

// jestTitle begins the report of one failure; what a test prints, and what an
// error says, stands further to the right.
const jestTitle = "  ● "

// jest reads the default and the verbose reporter of jest.
type jest struct {
	ids   []string
	file  string // that failed, and whose report this is
	named bool   // a failure of it has a title
	known bool   // it is jest, beyond doubt
	seen  jestTree
}

func (j *jest) line(line string) {
	j.seen.line(line)
	switch {
	case strings.HasPrefix(line, jestTitle):
		if title := line[len(jestTitle):]; j.file != "" {
			j.known = true
			if title != "Console" {
				j.ids, j.named = append(j.ids, j.file+" › "+title), true
			}
		}
	case strings.Contains(line, "FAIL ") || strings.Contains(line, "PASS "):
		if m := jestSuite.FindStringSubmatch(line); m != nil {
			j.suite(m[1], m[2])
			j.seen.begin(m[1], m[2])
		}
	case strings.HasPrefix(line, "Test Suites: "):
		if jestTotal.MatchString(line) {
			j.known = true
			j.suite("", "")
		}
	}
}

// suite ends the report of a file and begins the next. A failed file without a
// title still failed. Vitest puts more than a file there.
func (j *jest) suite(result, file string) {
	if j.file != "" && !j.named {
		j.ids = append(j.ids, j.file+" [failed]")
	}
	j.file, j.named = "", false
	if result == "FAIL" && !strings.Contains(file, " > ") && !strings.HasSuffix(file, " ]") {
		j.file = file
	}
}

func (j *jest) failing() []string {
	j.suite("", "")
	if !j.known {
		return nil
	}
	return j.ids
}
