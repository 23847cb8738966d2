package rule

import "fmt"

// nest gathers results that are told by indentation: the subtests of a test
// stand before it, further to the right.
type nest struct {
	levels  []level
	parents int // tests that passed, and have subtests that passed
}

type level struct {
	indent int
	ids    [3][]string    // by result
	named  map[string]int // how many results stood there under a name
}

// result is how one test ended.
type result int

const (
	testFailed result = iota
	testPassed
	testSkipped // or it failed as it is marked to
)

// end takes the result of a test at that indentation. What stands to the right
// of it since the test before are its subtests: if one of those failed, the
// test itself is not counted. A test that passed, or was not meant to, takes
// the failures of those with it. Each result counts, so that the second one of a name
// beside the first is "name (2)".
func (n *nest) end(indent int, name string, r result) {
	var below [3][]string
	for len(n.levels) > 0 && n.levels[len(n.levels)-1].indent > indent {
		for r, ids := range n.levels[len(n.levels)-1].ids {
			below[r] = append(below[r], ids...)
		}
		n.levels = n.levels[:len(n.levels)-1]
	}
	if r != testFailed {
		below[testFailed] = nil
	}
	if r == testPassed && len(below[testPassed]) > 0 {
		n.parents++
	}
	if len(n.levels) == 0 || n.levels[len(n.levels)-1].indent < indent {
		n.levels = append(n.levels, level{indent: indent})
	}
	top := &n.levels[len(n.levels)-1]
	name = top.unique(name)
	for r, ids := range below {
		for _, b := range ids {
			top.ids[r] = append(top.ids[r], joinBounded(name, b))
		}
	}
	if r != testFailed || len(below[testFailed]) == 0 {
		top.ids[r] = append(top.ids[r], name)
	}
}

// unique tells a name from the same name of the results before.
func (l *level) unique(name string) string {
	if l.named == nil {
		l.named = map[string]int{}
	}
	l.named[name]++
	if n := l.named[name]; n > 1 {
		return fmt.Sprintf("%s (%d)", name, n)
	}
	return name
}

// joinBounded puts a name before an id that is not yet too long: nesting costs no
// more than its depth.
func joinBounded(name, id string) string {
	if len(id) > maxIDBytes {
		return id
	}
	return name + " > " + id
}

// all are the ids with that result, those too whose test has not ended.
func (n *nest) all(r result) []string {
	var all []string
	for _, l := range n.levels {
		all = append(all, l.ids[r]...)
	}
	return all
}

// hasBelow says whether a subtest of the test at that indentation has failed.
func (n *nest) hasBelow(indent int) bool {
	for i := len(n.levels) - 1; i >= 0 && n.levels[i].indent > indent; i-- {
		if len(n.levels[i].ids[testFailed]) > 0 {
			return true
		}
	}
	return false
}

// tally is what was gathered. A runner that counts says total too.
func (n *nest) tally() tally {
	return tally{passed: n.all(testPassed), failed: n.all(testFailed), skipped: n.all(testSkipped), parents: n.parents}
}
