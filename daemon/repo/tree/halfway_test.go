package tree_test

import (
	"strings"
	"testing"
)

// What git has not ended in a work tree, and files that a stash left in conflict.
func TestWhatGitHasNotEndedIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*space)
		want string
	}{
		"nothing":             {func(*space) {}, ""},
		"changed files alone": {func(s *space) { s.write("a.txt", "3\n"); s.git("add", "-A") }, ""},
		"a rebase":            {func(s *space) { s.conflict("rebase") }, "rebase conflict"},
		"a merge":             {func(s *space) { s.conflict("merge") }, "merge conflict"},
		"a merge without a conflict": {func(s *space) {
			s.git("switch", "-qc", "side", "HEAD~1")
			s.write("b", "x")
			s.commit("side")
			s.git("merge", "-q", "--no-commit", "main")
		}, "merge"},
		"a cherry-pick":                {func(s *space) { s.conflict("cherry-pick") }, "cherry-pick conflict"},
		"a cherry-pick that was ended": {func(s *space) { s.conflict("cherry-pick"); s.git("cherry-pick", "--abort") }, ""},
		"a bisect is none":             {func(s *space) { s.git("bisect", "start") }, ""},
		"a stash that did not fit": {func(s *space) {
			s.write("a.txt", "stashed\n")
			s.git("stash")
			s.write("a.txt", "other\n")
			s.commit("other")
			s.git("-c", "alias.try=!git stash pop || true", "try")
		}, "conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitSpace(t)
			c.do(s)
			if got := strings.Join(s.repo.Halfway(), " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
