package tree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// matchRounds is how many sets of rules are tried.
const matchRounds = 60

// TestIgnoreRulesAreReadAsGitReadsThem: rules made at random leave the same files as they do
// for git.
func TestIgnoreRulesAreReadAsGitReadsThem(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 9))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	names := []string{"a", "b", "ab", "a.b", "a b", "aab", "[a]", "*", `\`, "-", "A", "b1", "#a", "!a", "ü"}
	parts := []string{
		"a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:digit:]]", "[[:none:]]", "[a", `\a`, `\*`, `\`,
		".", "!", "#", " ", `\ `, "1", "**/", "/**", "/*", "[a-]", `[\]a]`, "[[:a]", "[--a]", "ü", "\t",
	}
	s := newSpace(t, nil)
	for range 120 {
		path := pick(names)
		for range random.IntN(4) {
			path += "/" + pick(names)
		}
		if !s.blocked(path) {
			s.write(path, "x")
		}
	}
	for n := range matchRounds {
		var rules strings.Builder
		for range 1 + random.IntN(5) {
			for range 1 + random.IntN(5) {
				rules.WriteString(pick(parts))
			}
			rules.WriteString(pick([]string{"\n", "\n", "\n", "/\n", " \n", "\r\n", ""}))
		}
		file := filepath.Join(filepath.Dir(s.top), "rules")
		s.must(os.WriteFile(file, []byte(rules.String()), 0o600))
		cmd := exec.Command("git", "ls-files", "-z", "-o", "--exclude-from="+file)
		cmd.Dir, cmd.Env = s.top, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.Output()
		s.must(err)
		want := strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
		var got []string
		for _, line := range s.listing(s.recordAs(fmt.Sprint("r", n), []byte(rules.String())).Tree) {
			_, path, _ := strings.Cut(line, " ")
			got = append(got, path)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Fatalf("rules %q (-git +ours):\n%s", rules.String(), diff)
		}
		s.must(s.repo.Forget(fmt.Sprint("r", n)))
	}
}

// blocked says that a path leads through a file, or is a folder.
func (s *space) blocked(path string) bool {
	if info, err := os.Lstat(s.path(path)); err == nil && info.IsDir() {
		return true
	}
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(s.path(dir)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}
