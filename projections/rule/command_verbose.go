package rule

import (
	"path"
	"slices"
	"strings"
)

// Verbose are the environment variables that ask the runners of a command, or of
// an earlier output of it, to name each test. A value is added to the one that
// is set already, behind a space. Empty where no runner of them has such a variable.
//
// The command can keep a variable from its runner, so names that are still missing
// prove nothing by themselves: they do beside a run with the same variables that
// has them (JudgeTests).
func Verbose(was Tests, c Command) map[string]string {
	calls := c.calls()
	runs := func(runner string, is func(words []string) bool) bool {
		return slices.Contains(was.Runners, runner) || slices.ContainsFunc(calls, func(c call) bool { return is(c.words) })
	}
	set := map[string]string{}
	if runs("go", runsGo) {
		set["GOFLAGS"] = "-v"
	}
	if runs("pytest", func(words []string) bool { return slices.ContainsFunc(words, isPytest) }) {
		set["PYTEST_ADDOPTS"] = "-rfEsxXp"
	}
	if runs("minitest", func([]string) bool { return false }) {
		set["TESTOPTS"] = "-v"
	}
	return set
}

func runsGo(words []string) bool {
	name := path.Base(words[0])
	return name == "gotestsum" || name == "go" && slices.Contains(words[1:], "test")
}

func isPytest(word string) bool {
	name := path.Base(word)
	return name == "pytest" || name == "py.test" || strings.HasPrefix(name, "pytest-")
}
