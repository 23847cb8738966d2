package rule

import (
	"slices"
	"strings"

	"autopilot/events"
)

// Shortfall is why an exit code of 0 does not count. With a zero Reason it counts.
type Shortfall struct {
	Reason  events.Reason
	IDs     []string // the tests or units that it is about, sorted
	Was, Is int      // tests executed at the baseline and now
}

// JudgeTests compares a gate that exits 0 with its baseline. wasRed says that the
// gate failed there. letGo says that a test or unit may be gone or skipped, as GoneWith
// does; it is asked with the name of the runner where only numbers are known. The rules,
// in their order:
//
//	names-failing  the output names or counts failing tests
//	no-tests       no test ran where some ran before, or where a build failed
//	not-seen       what failed at the baseline has not run and passed: by its id, else
//	               by its unit, else by the numbers; or another runner prints now
//	missing-tests  what passed before has not run, or is skipped; a unit is gone; or
//	               fewer tests were executed
//
// A baseline of which nothing is known proves nothing against the gate. An id that
// differs from run to run (an address, a time), and a test whose name comes from
// data of the product, counts as there if its siblings are as many as before.
func JudgeTests(was, is Tests, wasRed bool, letGo func(id string) bool) Shortfall {
	short := Shortfall{Was: was.Executed(), Is: is.Executed()}
	if letGo == nil {
		letGo = func(string) bool { return false }
	}
	c := comparison{was: was, is: is, letGo: letGo}
	switch {
	case is.Failed > 0 || len(is.FailedIDs) > 0:
		short.Reason, short.IDs = events.ReasonNamesFailing, is.FailedIDs
	case !is.Ran():
		short.Reason, short.IDs = c.idle(wasRed)
	case len(was.Runners) > 0 && !slices.ContainsFunc(is.Runners, func(r string) bool { return slices.Contains(was.Runners, r) }):
		short.Reason, short.IDs = events.ReasonNotSeen, was.FailedIDs
	default:
		short.Reason, short.IDs = c.judge(wasRed)
	}
	return short
}

// comparison is a reading of a gate beside that of its baseline.
type comparison struct {
	was, is Tests
	letGo   func(string) bool
	keys    map[string]bool // of the ids that passed, made when they are needed
}

// idle judges an output in which no test ran.
func (c *comparison) idle(wasRed bool) (events.Reason, []string) {
	switch {
	case len(c.is.Runners) == 0 && c.was.onlyMarks():
		return "", nil
	case c.was.Ran(), len(c.is.Empty) > len(c.is.Bare):
		return events.ReasonNoTests, c.is.Empty
	case len(c.is.Runners) > 0 && len(c.is.Bare) == 0: // it counts to none
		return events.ReasonNoTests, nil
	case wasRed && len(c.is.Runners) == 0 && len(c.was.FailedIDs) > 0:
		return events.ReasonNotSeen, c.was.FailedIDs
	}
	return "", nil
}

// onlyMarks reports whether the output had marks or a number of failed tests and
// nothing else of a runner: a command that prints these itself may print nothing when
// it passes.
func (t Tests) onlyMarks() bool {
	if len(t.Units) > 0 || t.Passed > 0 || len(t.Runners) != 1 {
		return false
	}
	if t.Runners[0] == "totals" { // as doctest, which counts only failures
		return true
	}
	return len(t.Counted) == 0 && t.Runners[0] == "go" && !slices.ContainsFunc(t.FailedIDs, func(id string) bool { return !strings.HasPrefix(id, "Test") })
}

func (c *comparison) judge(wasRed bool) (events.Reason, []string) {
	if wasRed {
		if ids := c.missing(c.was.FailedIDs, c.seen); len(ids) > 0 {
			return events.ReasonNotSeen, ids
		}
	}
	if c.is.Cut {
		return c.fewer()
	}
	if c.was.Named && c.is.Named {
		if ids := c.missing(c.was.PassedIDs, c.seen); len(ids) > 0 && !c.letsFilelessGo() {
			return events.ReasonMissingTests, ids
		}
	}
	if units := c.missing(c.was.Units, c.unitSeen); len(units) > 0 {
		return events.ReasonMissingTests, units
	}
	return c.fewer()
}

// fewer compares numbers, of runners that count.
func (c *comparison) fewer() (events.Reason, []string) {
	if _, less := c.counted(c.letGo); less {
		return events.ReasonMissingTests, without(slices.Clone(c.is.SkippedIDs), c.was.SkippedIDs)
	}
	return "", nil
}

// counted reports whether a runner has counted its tests both times, and whether one
// has executed fewer than before that may not.
func (c *comparison) counted(letGo func(runner string) bool) (both, fewer bool) {
	for runner, was := range c.was.Counted {
		is, ok := c.is.Counted[runner]
		both = both || ok
		fewer = fewer || ok && is < was && !letGo(runner)
	}
	return both, fewer
}

// enough reports whether at least as many tests were executed as before, by the
// numbers.
func (c *comparison) enough() bool {
	both, fewer := c.counted(c.letGo)
	return both && !fewer
}

func (c *comparison) missing(ids []string, seen func(string) bool) []string {
	var out []string
	for _, id := range ids {
		if !c.letGo(id) && !seen(id) {
			out = append(out, id)
		}
	}
	return out
}

// unitSeen reports whether a unit that ended well at the baseline does so now, with
// tests if it had some.
func (c *comparison) unitSeen(unit string) bool {
	if has(c.was.Empty, unit) {
		return true
	}
	if !has(c.is.Units, unit) {
		// What a test prints can hide the name of its file.
		both, fewer := c.counted(func(string) bool { return false })
		return strings.HasSuffix(unit, ".py") && both && !fewer
	}
	if has(c.is.Unnamed, unit) && c.was.Named && len(c.is.Counted) == 0 {
		return has(c.was.Unnamed, unit) // it named its tests before
	}
	return !has(c.is.Empty, unit)
}

// seen reports whether a test that ran at the baseline has run and passed.
func (c *comparison) seen(id string) bool {
	switch {
	case has(c.is.PassedIDs, id):
		return true
	case c.below(id):
		return true
	case wholeOf(id) != "":
		return c.wholeSeen(wholeOf(id), id)
	case has(c.is.SkippedIDs, id):
		return false
	case c.sameKey(id), c.is.Cut:
		return true
	}
	unit := unitOf(id, c.is.Units)
	switch {
	case unit == "" && len(c.is.Units) > 0 && c.namesFiles() && isTestFile(firstOfID(id)):
		return false
	case unit == "" && c.is.Named, unit != "" && !has(c.is.Unnamed, unit):
		return c.siblings(id)
	case unit != "" && c.letGo(unit):
		return true
	case unit != "" && has(c.is.Unnamed, unit):
		// A runner that counts may name its tests only where it ran one file.
		return len(c.is.Counted) > 0 || !c.was.Named
	}
	return c.enough() || slices.ContainsFunc(c.is.Unnamed, isTask)
}

// namesFiles reports whether the runner names each file that it has run.
func (c *comparison) namesFiles() bool {
	return slices.Contains(c.is.Runners, "jest") || slices.Contains(c.is.Runners, "vitest")
}

// isTask reports whether a unit is a task of Gradle, which names none of its tests.
func isTask(unit string) bool { return strings.HasPrefix(unit, ":") }

// wholeSeen reports whether what failed as a whole has run tests. What could not be
// built may have none that the gate asks for, as long as others ran.
func (c *comparison) wholeSeen(whole, id string) bool {
	switch {
	case c.letGo(whole), c.is.Cut:
		return true
	case has(c.is.Units, whole):
		return !has(c.is.Empty, whole) || strings.HasSuffix(id, " [build failed]") || strings.HasSuffix(id, " [setup failed]")
	case slices.Contains(c.was.Runners, "go") && strings.Contains(id, " ["):
		return false
	case len(c.is.Units) > 0 && isTestFile(whole) && c.namesFiles():
		return false
	}
	_, fewer := c.counted(c.letGo)
	return !fewer
}
