package rule

import (
	"slices"
	"strings"
)

func (g *goPlain) tally() tally {
	ends := joinNested(g.ends, &g.pkg)
	t := goTally(ends)
	t.last = g.last
	if len(g.pkg.tests)+len(g.pkg.began)+len(g.pkg.passed) > 0 { // a test binary that was started by hand, or an end that was cut off
		t.failed = append(t.failed, innermost(g.pkg.tests)...)
		t.goTests("", &g.pkg)
	}
	t.loose = len(ends) == 0 && len(g.pkg.began) == 0 && !g.pkg.verdict
	return t
}

func (g *goJSON) tally() tally {
	t := goTally(g.ends)
	t.last = g.last
	return t
}

// joinNested takes out what stands within the output of a test: that test began
// before the line of a package, and ends behind it.
func joinNested(ends []goEnd, last *goPackageTests) []goEnd {
	packages := make([]*goPackageTests, 0, len(ends)+1)
	for i := range ends {
		packages = append(packages, &ends[i].pkg)
	}
	packages = append(packages, last)
	strays := map[string][]int{} // where a test ended that did not begin there
	for i, p := range packages {
		for _, test := range p.strays {
			strays[test] = append(strays[test], i)
		}
	}
	var out []goEnd
	for i := 0; i < len(ends); i++ {
		j := packages[i].endsIn(strays, i)
		if j == 0 {
			out = append(out, ends[i])
			continue
		}
		packages[j].before(packages[i])
		if j < len(ends) && !ends[j].ok {
			ends[j].ids = packages[j].close(ends[j].name, "")
		}
		i = j - 1
	}
	return out
}

// endsIn is the first place behind i in which a test ends that runs here; 0 if none.
func (p *goPackageTests) endsIn(strays map[string][]int, i int) int {
	first := 0
	if p.now == 0 || len(strays) == 0 {
		return first
	}
	for test, running := range p.began {
		if !running {
			continue
		}
		places := strays[test]
		at, _ := slices.BinarySearch(places, i+1)
		if at < len(places) && (first == 0 || places[at] < first) {
			first = places[at]
		}
	}
	return first
}

// open reports whether a test runs, of -v.
func (g *goPlain) open() bool { return g.pkg.now > 0 }

// before puts what was read of a package before what was read of it later. It takes
// over what q has, so that a chain of them costs no more than its parts.
func (p *goPackageTests) before(q *goPackageTests) {
	p.tests = append(q.tests, p.tests...)
	p.passed, p.skipped = append(q.passed, p.passed...), append(q.skipped, p.skipped...)
	p.panics, p.gap = p.panics || q.panics, p.gap || q.gap
	later := p.began
	p.began, p.now = q.began, q.now
	for _, test := range p.strays {
		if p.began[test] {
			p.now--
			p.began[test] = false
		}
	}
	for test, running := range later {
		p.begin(test)
		if !running {
			p.now--
			p.began[test] = false
		}
	}
	q.began, q.now = nil, 0
}

// goTally counts a package that failed and then ended well as one that ended well:
// it was run again.
func goTally(ends []goEnd) tally {
	var t tally
	final := map[string]bool{}
	for _, e := range ends {
		final[e.name] = e.ok
	}
	for i := range ends {
		e := &ends[i]
		t.goTests(e.name+".", &e.pkg)
		switch {
		case e.ok:
			t.goUnit(e)
		case !final[e.name]:
			t.failed = append(t.failed, e.ids...)
		}
		if !e.ok && len(e.pkg.began) == 0 && !e.unbuilt() {
			t.partial = true
		}
	}
	return t
}

func (t *tally) goUnit(e *goEnd) {
	t.units = append(t.units, e.name)
	if e.bare {
		t.bare = append(t.bare, e.name)
	}
	switch {
	case e.empty || len(e.pkg.passed) == 0 && !e.pkg.gap && len(e.pkg.skipped)+len(e.pkg.began) > 0:
		t.empty = append(t.empty, e.name)
	case len(e.pkg.passed) == 0:
		t.unnamed = append(t.unnamed, e.name)
	}
}

// unbuilt reports whether no test of the package could run.
func (e *goEnd) unbuilt() bool {
	return len(e.ids) == 1 && (strings.HasSuffix(e.ids[0], " [build failed]") || strings.HasSuffix(e.ids[0], " [setup failed]"))
}

// goTests adds the tests of one package.
func (t *tally) goTests(prefix string, p *goPackageTests) {
	inner := innermost(p.passed)
	t.parents += len(p.passed) - len(inner)
	for _, test := range p.passed {
		t.passed = append(t.passed, prefix+test)
	}
	for _, test := range p.skipped {
		t.skipped = append(t.skipped, prefix+test)
	}
}
