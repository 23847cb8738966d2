package rule

import (
	"path"
	"slices"
)

// Verbose are the environment variables that ask the runners of a command, or of
// an earlier output of it, to name each test. A value is added to the one that
// is set already, behind a space. Empty where no runner of them has such a variable.
func Verbose(was Tests, c Command) map[string]string {
	set := map[string]string{}
	known := func(runner string, words ...string) bool {
		return slices.Contains(was.Runners, runner) || slices.ContainsFunc(c.calls(), func(c call) bool {
			return slices.Contains(words, path.Base(c.words[0]))
		})
	}
	if known("go", "go", "gotestsum") {
		set["GOFLAGS"] = "-v"
	}
	if known("pytest", "pytest", "py.test") {
		set["PYTEST_ADDOPTS"] = "-rfEsxXp"
	}
	return set
}
