package rule

import (
	"slices"
	"strings"
)

func (g *goPlain) tally() tally {
	ends := joinNested(g.ends, &g.pkg)
	t := goTally(ends)
	if len(g.pkg.tests)+len(g.pkg.began)+len(g.pkg.passed) > 0 { // a test binary that was started by hand, or an end that was cut off
		t.failed = append(t.failed, innermost(g.pkg.tests)...)
		t.goTests("", &g.pkg)
	}
	return t
}

func (g *goJSON) tally() tally { return goTally(g.ends) }

// joinNested takes out what stands within the output of a test: that test began
// before the line of a package, and ends behind it.
func joinNested(ends []goEnd, last *goPackageTests) []goEnd {
	var out []goEnd
	for i := 0; i < len(ends); i++ {
		outer := ends[i]
		j := i + 1
		for outer.pkg.runs() && j <= len(ends) {
			behind := last
			if j < len(ends) {
				behind = &ends[j].pkg
			}
			if !slices.ContainsFunc(behind.strays, func(test string) bool { return outer.pkg.began[test] }) {
				j++
				continue
			}
			behind.before(&outer.pkg)
			if j < len(ends) && !ends[j].ok {
				ends[j].ids = behind.close(ends[j].name, "")
			}
			i = j - 1
			outer.name = ""
			break
		}
		if outer.name != "" {
			out = append(out, outer)
		}
	}
	return out
}

// runs reports whether a test has begun that has not ended.
func (p *goPackageTests) runs() bool {
	for _, running := range p.began {
		if running {
			return true
		}
	}
	return false
}

// before puts what was read of a package before what was read of it later.
func (p *goPackageTests) before(q *goPackageTests) {
	p.tests = slices.Concat(q.tests, p.tests)
	p.passed, p.skipped = slices.Concat(q.passed, p.passed), slices.Concat(q.skipped, p.skipped)
	p.panics = p.panics || q.panics
	for test, running := range q.began {
		if _, here := p.began[test]; !here {
			p.begin(test)
			p.began[test] = running && !slices.Contains(p.strays, test)
		}
	}
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
	case e.empty || len(e.pkg.passed) == 0 && len(e.pkg.skipped)+len(e.pkg.began) > 0:
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
