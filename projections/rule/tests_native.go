package rule

import (
	"strings"

	"autopilot/projections/regex"
)

var (
	ctestMark = regex.New(`^ *\d+/\d+ Test +#\d+: (\S.*?) \.*(?: +|\*\*\*)(Passed|Failed|Not Run|Skipped|Timeout|Exception\S*|Disabled)\b`)
	ctestEnd  = regex.New(`^\d+% tests passed, (\d+) tests? failed out of (\d+)`)
)

// ctest reads ctest, which names each test.
type ctest struct {
	lineCount
	marks
	counted bool
	total   counts
}

func (c *ctest) line(line string) {
	switch {
	case strings.Contains(line, "Test ") && strings.Contains(line, "#"):
		if m := ctestMark.FindStringSubmatch(line); m != nil {
			r := testFailed
			switch m[2] {
			case "Passed":
				r = testPassed
			case "Skipped", "Disabled":
				r = testSkipped
			}
			c.test(0, m[1], "", r)
		}
	case strings.Contains(line, "% tests passed, "):
		if m := ctestEnd.FindStringSubmatch(line); m != nil {
			c.total.add(counts{failed: atoi(m[1]), passed: max(atoi(m[2])-atoi(m[1]), 0)})
			c.counted = true
			c.closes()
		}
	case line == "No tests were found!!!":
		c.counted = true
	}
}

func (c *ctest) tally() tally {
	if !c.counted {
		return tally{}
	}
	c.total.passed = max(c.total.passed-len(c.skipped), 0) // they count as passed
	return c.marks.tally(c.total, c.lineCount)
}

var (
	dotnetEnd  = regex.New(`^ *(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+, Duration: .*? - (\S+\.dll.*)$`)
	dotnetSum  = regex.New(`^ *Test (?:summary|run summary): (?:\w+! )?total: (\d+), failed: (\d+), succeeded: (\d+), skipped: (\d+)`)
	dotnetMark = regex.New(`^ +(Passed|Failed|Skipped) (\S.*?)(?: \[[^\]]+\])?$`)
)

// dotnet reads dotnet test: a line of numbers for each assembly, or one in all.
type dotnet struct {
	lineCount
	marks
	units, empty []string
	total        counts
	counted      bool
}

func (d *dotnet) line(line string) {
	switch {
	case strings.Contains(line, "! ") && strings.Contains(line, "Failed: "):
		if m := dotnetEnd.FindStringSubmatch(line); m != nil {
			c := counts{failed: atoi(m[1]), passed: atoi(m[2]), skipped: atoi(m[3])}
			d.count(c)
			if c.failed == 0 {
				d.units = append(d.units, m[4])
			}
			if c.failed+c.passed == 0 {
				d.empty = append(d.empty, m[4])
			}
		}
	case strings.Contains(line, "ummary: "):
		if m := dotnetSum.FindStringSubmatch(line); m != nil {
			d.count(counts{failed: atoi(m[2]), passed: atoi(m[3]), skipped: atoi(m[4])})
		}
	case strings.HasPrefix(line, "  "):
		if m := dotnetMark.FindStringSubmatch(line); m != nil {
			d.test(0, m[2], "", map[string]result{"Passed": testPassed, "Failed": testFailed, "Skipped": testSkipped}[m[1]])
		}
	}
}

func (d *dotnet) count(c counts) {
	d.total.add(c)
	d.counted = true
	d.closes()
}

func (d *dotnet) tally() tally {
	if !d.counted {
		return tally{}
	}
	t := d.marks.tally(d.total, d.lineCount)
	t.units, t.empty = d.units, d.empty
	return t
}

var (
	xctestMark = regex.New(`^Test Case '(.+)' (passed|failed|skipped) \([\d.]+ seconds\)\.?$`)
	swiftMark  = regex.New(`^(?:\S+ +)?Test (\S.*?) (passed|failed|skipped)(?: after [\d.]+ seconds.*|\.|: .*)$`)
)

// swift reads XCTest and Swift Testing, which name each test. The numbers of XCTest
// are those of suites within suites.
type swift struct {
	lineCount
	marks
}

func (s *swift) line(line string) {
	if !strings.Contains(line, "Test ") {
		return
	}
	m := xctestMark.FindStringSubmatch(line)
	if m == nil {
		if m = swiftMark.FindStringSubmatch(line); m == nil || strings.HasPrefix(m[1], "run with ") || strings.HasPrefix(m[1], "Case ") || strings.HasPrefix(m[1], "Suite ") {
			return
		}
	}
	s.closes()
	s.test(0, m[1], "", map[string]result{"passed": testPassed, "failed": testFailed, "skipped": testSkipped}[m[2]])
}

func (s *swift) tally() tally {
	return tally{passed: s.passed, failed: s.failed, skipped: s.skipped, last: s.last}
}

var (
	proveFile = regex.New(`^(\S+\.t) \.+ (ok|skipped.*)$`)
	proveEnd  = regex.New(`^Files=\d+, Tests=(\d+),`)
	proveBad  = regex.New(`^  Failed (?:test|tests): +([\d, -]+)$`)
)

// prove reads Perl's prove: a line for each file, and one with numbers.
type prove struct {
	lineCount
	units, empty []string
	failed       int
	total        counts
	counted      bool
}

func (p *prove) line(line string) {
	switch {
	case strings.Contains(line, ".t ."):
		if m := proveFile.FindStringSubmatch(line); m != nil {
			p.units = append(p.units, m[1])
			if m[2] != "ok" {
				p.empty = append(p.empty, m[1])
			}
		}
	case strings.HasPrefix(line, "  Failed test"):
		if m := proveBad.FindStringSubmatch(line); m != nil {
			p.failed += 1 + strings.Count(m[1], ",")
		}
	case strings.HasPrefix(line, "Files="):
		if m := proveEnd.FindStringSubmatch(line); m != nil {
			p.total.add(counts{passed: max(atoi(m[1])-p.failed, 0), failed: p.failed})
			p.counted, p.failed = true, 0
			p.closes()
		}
	case strings.HasPrefix(line, "Result: "):
		p.closes()
	}
}

func (p *prove) tally() tally {
	if !p.counted {
		return tally{}
	}
	return tally{total: p.total, counted: true, last: p.last}.withUnits(p.units, p.empty, "::")
}

var (
	gotestsumUnit = regex.New(`^(✓|∅) {2}(\S+)(?: \(.*\))?$`)
	gotestsumEnd  = regex.New(`^DONE (\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, (\d+) errors?)? in `)
)

// gotestsum reads gotestsum where it does not print what go test prints. Failures that
// it has run again are no result.
type gotestsum struct {
	lineCount
	units, empty []string
	total        counts
	counted      bool
}

func (g *gotestsum) line(line string) {
	switch {
	case strings.HasPrefix(line, "✓  ") || strings.HasPrefix(line, "∅  "):
		if m := gotestsumUnit.FindStringSubmatch(line); m != nil {
			g.units = append(g.units, m[2])
			if m[1] == "∅" {
				g.empty = append(g.empty, m[2])
			}
		}
	case strings.HasPrefix(line, "DONE "):
		if m := gotestsumEnd.FindStringSubmatch(line); m != nil {
			c := counts{failed: atoi(m[4]) + atoi(m[5]), skipped: atoi(m[3])}
			c.passed = max(atoi(m[2])-c.failed-c.skipped, 0)
			if m[1] != "" {
				c.failed = 0
			}
			g.total.add(c)
			g.counted = true
			g.closes()
		}
	}
}

func (g *gotestsum) tally() tally {
	if !g.counted {
		return tally{}
	}
	t := tally{total: g.total, counted: true, partial: true, last: g.last}.withUnits(g.units, g.empty, ".Test")
	t.bare = g.empty
	return t
}
