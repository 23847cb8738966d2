package rule

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/regex"
)

var (
	// A test that prints without a newline has its mark glued to that text.
	goFail = regex.New(`--- FAIL: (\S+) \(\d+(?:\.\d+)?s\)$`)
	// The last line of a package; the second word is a time or a reason.
	goPackage = regex.New(`^(FAIL|ok  |\?   )\t(\S+)(?:\t\S+| (\[[a-z ]+\]))?`)
	goRunning = regex.New(`^\t\t(Test\S+|Fuzz\S+|Benchmark\S+|Example\S+) \([^)]*\)$`)
	goMark    = regex.New(`--- (PASS|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$`)
	goPanic   = regex.New(`^(panic: |fatal error: |WARNING: DATA RACE|SIG[A-Z]+: )`)
)

// goPlain reads the plain and the -v form of go test.
type goPlain struct {
	lineCount
	ids  []string
	pkg  goPackageTests
	ends []goEnd
}

// goEnd is the last line of a package, and what stood before it.
type goEnd struct {
	name  string
	ok    bool
	empty bool     // no test ran
	bare  bool     // there are no test files
	ids   []string // that failed
	pkg   goPackageTests
}

func (g *goPlain) line(line string) {
	if !strings.HasPrefix(line, "FAIL\t") && !strings.HasPrefix(line, "ok  \t") && !strings.HasPrefix(line, "?   \t") {
		g.pkg.add(line)
		return
	}
	if m := goPackage.FindStringSubmatch(line); m != nil {
		end := goEnd{name: m[2], ok: m[1] != "FAIL", pkg: g.pkg}
		end.bare = strings.HasSuffix(line, "[no test files]")
		end.empty = end.bare || strings.HasSuffix(line, "[no tests to run]")
		if !end.ok {
			end.ids = g.pkg.close(m[2], m[3])
			g.ids = append(g.ids, end.ids...)
		}
		g.ends = append(g.ends, end)
		g.pkg = goPackageTests{}
		g.closes()
	}
}

// failing adds the tests of a test binary that was started by hand, which names
// no package.
func (g *goPlain) failing() []string { return append(g.ids, innermost(g.pkg.tests)...) }

// goBegin stands before the name of a test that begins, of -v.
const goBegin = "=== RUN   "

// goPackageTests are the marks of one package, as its name comes last.
type goPackageTests struct {
	tests   []string
	running []string
	panics  bool

	passed, skipped []string
	began           map[string]bool // by name, of -v: whether it is running still
	now             int             // how many are
	gap             bool            // lines were not kept
	strays          []string        // that ended, but did not begin here
	verdict         bool            // PASS or FAIL stands alone: a test binary has ended
}

func (p *goPackageTests) add(line string) {
	switch {
	case goPanic.MatchString(line):
		p.panics = true
	case strings.Contains(line, "--- FAIL: "):
		if m := goFail.FindStringSubmatch(line); m != nil {
			p.tests = append(p.tests, m[1])
			p.end(m[1])
		}
	case strings.HasPrefix(line, "... ") && spoolGap.MatchString(line):
		p.gap = true
	case line == "PASS", line == "FAIL":
		p.verdict = true
	case strings.HasPrefix(line, goBegin):
		p.begin(strings.TrimSpace(line[len(goBegin):]))
	case strings.Contains(line, "--- PASS: ") || strings.Contains(line, "--- SKIP: "):
		if m := goMark.FindStringSubmatch(line); m != nil {
			p.mark(m[1], m[2])
		}
	case p.panics:
		// A test time-out lists what was running, and fails nothing else.
		if m := goRunning.FindStringSubmatch(line); m != nil {
			p.running = append(p.running, m[1])
		}
	}
}

func (p *goPackageTests) begin(test string) {
	if p.began == nil {
		p.began = map[string]bool{}
	}
	if !p.began[test] {
		p.now++
	}
	p.began[test] = true
}

func (p *goPackageTests) mark(result, test string) {
	p.end(test)
	if result == "SKIP" {
		p.skipped = append(p.skipped, test)
	} else {
		p.passed = append(p.passed, test)
	}
}

func (p *goPackageTests) end(test string) {
	if running, here := p.began[test]; here {
		if running {
			p.now--
		}
		p.began[test] = false
	} else {
		p.strays = append(p.strays, test)
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
	lineCount
	ids      []string
	ends     []goEnd
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
	g.closes()
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
		ids := p.close(e.Package, reason)
		g.ids = append(g.ids, ids...)
		g.ends = append(g.ends, goEnd{name: e.Package, ids: ids, pkg: *p})
	case e.Test != "":
		p.event(e.Action, e.Test)
	case e.Action == "pass" || e.Action == "skip":
		g.ends = append(g.ends, goEnd{name: e.Package, ok: true, empty: len(p.began) == 0, bare: e.Action == "skip", pkg: *p})
		delete(g.packages, e.Package)
	}
}

func (p *goPackageTests) event(action, test string) {
	switch action {
	case "run":
		p.begin(test)
	case "pass":
		p.mark("PASS", test)
	case "skip":
		p.mark("SKIP", test)
	}
}

func (g *goJSON) failing() []string { return g.ids }
