package rule

import (
	"path"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// testFile matches an id that is a file: none of its tests could be run.
var testFile = regex.New(`^\S+\.(?:py|rb|php|[cm]?[jt]sx?)$`)

// wholeOf is the unit that an id stands for, if it is a mark of one; "" for a test.
// A mark of no unit is its own.
func wholeOf(id string) string {
	switch {
	case isMark(id):
		if i := strings.LastIndex(id, " ["); i > 0 {
			return id[:i]
		}
		return id
	case strings.HasSuffix(id, " › Test suite failed to run"):
		return strings.TrimSuffix(id, " › Test suite failed to run")
	case isTestFile(id):
		return id
	}
	return ""
}

func isTestFile(id string) bool {
	ext := path.Ext(id)
	return len(ext) > 2 && len(ext) < 5 && testFile.MatchString(id)
}

// firstOfID is the outermost part of an id: its file, of runners that name it.
func firstOfID(id string) string {
	for _, sep := range []string{" › ", " > "} {
		id, _, _ = strings.Cut(id, sep)
	}
	return id
}

// unitOf is the longest of the units that an id belongs to, else "".
func unitOf(id string, units []string) string {
	for i := len(id) - 1; i > 0; i-- {
		if strings.IndexByte(".: $", id[i]) >= 0 && has(units, id[:i]) {
			return id[:i]
		}
	}
	return ""
}

// goSubtest cuts the test from its subtests.
var goSubtest = regex.New(`^((?:.*\.)?(?:Test|Fuzz|Example|Benchmark)[^/]*)/`)

// familyOf is what begins the id of a test and of its siblings, which are made from
// data: cases of a table, parameters. It is empty for a test on its own.
func familyOf(id string) string {
	if i := max(strings.LastIndex(id, " > "), strings.LastIndex(id, " › ")); i > 0 {
		return id[:i+1]
	}
	if m := goSubtest.FindStringSubmatch(id); m != nil {
		return m[1] + "/"
	}
	if _, test, ok := strings.Cut(id, "::"); ok {
		if i := strings.IndexByte(test, '['); i > 0 {
			return id[:len(id)-len(test)+i+1]
		}
		return ""
	}
	if i := strings.IndexAny(id, " (["); i > 0 {
		return id[:i+1]
	}
	return ""
}

// setUps are the methods of a class that unittest names where they fail.
var setUps = regex.New(`\.(?:setUpClass|tearDownClass)$`)

// below reports whether tests have passed that belong to an id: what failed was a
// suite, or what is run before its tests.
func (c *comparison) below(id string) bool {
	if m := setUps.FindString(id); m != "" {
		return countPrefix(c.is.PassedIDs, strings.TrimSuffix(id, m)+".") > 0
	}
	return countPrefix(c.is.PassedIDs, id+" > ") > 0 || has(c.is.Units, id) && !has(c.is.Empty, id)
}

// siblings reports whether as many tests of the family of an id have passed as were
// executed at the baseline. Subtests of unittest are named only where they fail:
// there the test stands for them.
func (c *comparison) siblings(id string) bool {
	family := familyOf(id)
	if family == "" {
		return false
	}
	if strings.HasSuffix(family, " ") && has(c.is.PassedIDs, strings.TrimSpace(family)) {
		return true
	}
	is := countPrefix(c.is.PassedIDs, family)
	return is > 0 && is >= countPrefix(c.was.PassedIDs, family)+countPrefix(c.was.FailedIDs, family)
}

func countPrefix(sorted []string, prefix string) int {
	from, _ := slices.BinarySearch(sorted, prefix)
	n := 0
	for _, id := range sorted[from:] {
		if !strings.HasPrefix(id, prefix) {
			break
		}
		n++
	}
	return n
}

// sameKey reports whether a test has passed whose id differs only in what differs
// from run to run.
func (c *comparison) sameKey(id string) bool {
	cargo := slices.Contains(c.was.Runners, "cargo")
	if c.keys == nil {
		c.keys = make(map[string]bool, len(c.is.PassedIDs))
		for _, p := range c.is.PassedIDs {
			c.keys[idKey(p)] = true
			if cargo {
				scoped, bare := cargoKeys(p)
				c.keys[scoped], c.keys[bare] = true, true
			}
		}
	}
	if c.keys[idKey(id)] || !cargo {
		return c.keys[idKey(id)]
	}
	scoped, _ := cargoKeys(id)
	return c.keys[scoped]
}

var docLine = regex.New(` \(line \d+\)$`)

func idKey(id string) string { return docLine.ReplaceAllString(normaliseLine(id), "") }
