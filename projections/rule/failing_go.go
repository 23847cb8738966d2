package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	// A test that prints without a newline has its mark glued to that text.
	goFail = regexp.MustCompile(`--- FAIL: (\S+) \(\d+(?:\.\d+)?s\)$`)
	// The last line of a package; the second word is a time or a reason.
	goPackage = regexp.MustCompile(`^(FAIL|ok  |\?   )\t(\S+)(?:\t\S+| (\[[a-z ]+\]))?`)
	goRunning = regexp.MustCompile(`^\t\t(Test\S+|Fuzz\S+|Benchmark\S+|Example\S+) \([^)]*\)$`)
	goPanic   = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE|SIG[A-Z]+: )`)
)

// goPlain reads the plain and the -v form of go test.
type goPlain struct {
	ids []string
	pkg goPackageTests
}

func (g *goPlain) line(line string) {
	if !strings.HasPrefix(line, "FAIL\t") && !strings.HasPrefix(line, "ok  \t") && !strings.HasPrefix(line, "?   \t") {
		g.pkg.add(line)
		return
	}
	if m := goPackage.FindStringSubmatch(line); m != nil {
		if m[1] == "FAIL" {
			g.ids = append(g.ids, g.pkg.close(m[2], m[3])...)
		}
		g.pkg = goPackageTests{}
	}
}

// failing adds the tests of a test binary that was started by hand, which names
// no package.
func (g *goPlain) failing() []string { return append(g.ids, innermost(g.pkg.tests)...) }

// goPackageTests are the marks of one package, as its name comes last.
type goPackageTests struct {
	tests   []string
	running []string
	panics  bool
}

func (p *goPackageTests) add(line string) {
	switch {
	case goPanic.MatchString(line):
		p.panics = true
	case strings.Contains(line, "--- FAIL: "):
		if m := goFail.FindStringSubmatch(line); m != nil {
			p.tests = append(p.tests, m[1])
		}
	case p.panics:
		// A test time-out lists what was running, and fails nothing else.
		if m := goRunning.FindStringSubmatch(line); m != nil {
			p.running = append(p.running, m[1])
		}
	}
}

func (p *goPackageTests) close(name, reason string) []string {
	tests := innermost(append(p.tests, p.running...))
	switch {
	case len(tests) > 0:
		for i, t := range tests {
			tests[i] = name + "." + t
		}
		return tests
	case reason != "":
		return []string{name + " " + reason}
	case p.panics:
		return []string{name + " [panic]"}
	}
	return []string{name + " [failed]"}
}

// innermost drops a test of which a subtest is listed too.
func innermost(tests []string) []string {
	parents := map[string]bool{}
	for _, t := range tests {
		for i, r := range t {
			if r == '/' {
				parents[t[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return parents[t] })
}

// goEvent is a line of go test -json; a failed build is named by ImportPath.
type goEvent struct {
	Action      string
	Package     string
	Test        string
	Output      string
	FailedBuild string
}

// goJSON reads the events of go test -json, in any order of packages.
type goJSON struct {
	ids      []string
	packages map[string]*goPackageTests
}

func (g *goJSON) line(line string) {
	if !strings.HasPrefix(line, `{"`) || !strings.Contains(line, `"Action":"`) {
		return
	}
	var e goEvent
	if json.Unmarshal([]byte(line), &e, jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(false)) != nil || e.Package == "" {
		return
	}
	p := g.packages[e.Package]
	if p == nil {
		p = &goPackageTests{}
		g.packages[e.Package] = p
	}
	switch {
	case e.Action == "output" && !strings.Contains(e.Output, "--- FAIL: "):
		p.add(strings.TrimRight(e.Output, "\n"))
	case e.Action == "fail" && e.Test != "":
		p.tests = append(p.tests, e.Test)
	case e.Action == "fail":
		reason := ""
		if e.FailedBuild != "" {
			reason = "[build failed]"
		}
		g.ids = append(g.ids, p.close(e.Package, reason)...)
	}
}

func (g *goJSON) failing() []string { return g.ids }
