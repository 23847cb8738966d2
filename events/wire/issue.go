package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Issue is an issue or a pull request of a tracker. Without a Repository it is a
// number alone; without a Number it is a repository.
type Issue struct {
	Repository string // OWNER/NAME
	Number     int
}

// maxIssue bounds numbers of issues.
const maxIssue = 1<<31 - 1

// ParseIssue reads 24, #24, OWNER/NAME#24, or the address of an issue in a browser.
func ParseIssue(text string) (Issue, error) {
	i, err := ParseTracker(text)
	if err == nil && i.Number == 0 {
		err = fmt.Errorf("%q names no issue", text)
	}
	return i, err
}

// ParseTracker reads the texts of ParseIssue, and OWNER/NAME alone.
func ParseTracker(text string) (Issue, error) {
	bad := fmt.Errorf("%q is not an issue", text)
	repo, number, numbered := strings.Cut(address(strings.TrimSpace(text)), "#")
	if n, err := strconv.Atoi(repo); err == nil && !numbered && n > 0 {
		repo, number, numbered = "", repo, true
	}
	i := Issue{Repository: repo}
	if numbered {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxIssue || strings.HasPrefix(number, "+") {
			return Issue{}, bad
		}
		i.Number = n
	}
	if repo == "" && numbered || isRepository(repo) {
		return i, nil
	}
	return Issue{}, bad
}

// address turns https://HOST/OWNER/NAME/issues/24 into OWNER/NAME#24, and leaves other
// texts alone.
func address(text string) string {
	rest, ok := strings.CutPrefix(text, "https://github.com/")
	if p := strings.Split(rest, "/"); ok && len(p) == 4 && (p[2] == "issues" || p[2] == "pull") {
		number, _, _ := strings.Cut(p[3], "#") // the rest is a comment
		return p[0] + "/" + p[1] + "#" + number
	}
	return text
}

func isRepository(text string) bool {
	owner, name, ok := strings.Cut(text, "/")
	return ok && isWord(owner, 39, "-_") && isWord(name, 100, "-_.") && name != "." && name != ".."
}

// isWord says that a text has letters, digits and some signs. It has no hyphen at the
// start, as it becomes an argument of a command.
func isWord(text string, most int, signs string) bool {
	for _, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune(signs, r) {
			return false
		}
	}
	return text != "" && len(text) <= most && text[0] != '-'
}

// Of says whether the issue is in a repository, without regard to case.
func (i Issue) Of(repository string) bool {
	return i.Repository != "" && strings.EqualFold(i.Repository, repository)
}

// String returns the form that ParseTracker reads.
func (i Issue) String() string {
	if i.Number == 0 {
		return i.Repository
	}
	return i.Repository + "#" + strconv.Itoa(i.Number)
}

// PullRequest says that a text is the address of a pull request of a repository:
// https://HOST/OWNER/NAME/pull/24.
func PullRequest(text, repository string) bool {
	p := strings.Split(text, "/")
	if len(p) != 7 || p[0] != "https:" || p[1] != "" || !isWord(p[2], 253, "-.") || p[5] != "pull" {
		return false
	}
	n, err := strconv.Atoi(p[6])
	return err == nil && n > 0 && n <= maxIssue && p[6] == strconv.Itoa(n) && isRepository(p[3]+"/"+p[4]) && strings.EqualFold(p[3]+"/"+p[4], repository)
}
