package rule

import (
	"regexp"
	"slices"
	"strings"
)

// testFile matches an id that is a file: none of its tests could be run.
var testFile = regexp.MustCompile(`^\S+\.(?:py|rb|php|[cm]?[jt]sx?)$`)

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
	case testFile.MatchString(id):
		return id
	}
	return ""
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
var goSubtest = regexp.MustCompile(`^((?:.*\.)?(?:Test|Fuzz|Example|Benchmark)[^/]*)/`)

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
	if c.keys == nil {
		c.keys = make(map[string]bool, len(c.is.PassedIDs))
		for _, p := range c.is.PassedIDs {
			c.keys[idKey(p)] = true
		}
	}
	return c.keys[idKey(id)]
}

var docLine = regexp.MustCompile(` \(line \d+\)$`)

func idKey(id string) string { return docLine.ReplaceAllString(normaliseLine(id), "") }
