package notify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"autopilot/daemon/repo/tree"
	"autopilot/events/wire"
)

// DraftTo is where what a run asks approval for is shown.
type DraftTo struct {
	Repository string // OWNER/NAME
	Remote     string // address for git; empty is that of GitHub, with the login of gh
}

// Address is where git pushes to.
func (t DraftTo) Address() string {
	if t.Remote != "" {
		return t.Remote
	}
	return "https://github.com/" + t.Repository + ".git"
}

// Draft says where what a run asks approval for is shown, by the issue that the run
// is about. A run without one, and one about an issue of another repository, shows
// nothing: who starts a run names the issue, and the user's rules the repository.
func (s Settings) Draft(issue string) (DraftTo, bool) {
	i, err := wire.ParseIssue(issue)
	if err != nil {
		return DraftTo{}, false
	}
	for _, r := range s.Rules {
		if at := r.tracker().Repository; r.Draft && i.Of(at) {
			return DraftTo{at, r.Remote}, true
		}
	}
	return DraftTo{}, false
}

func (r Rule) checkDraft() *Mistake {
	switch {
	case r.Draft && r.GitHub == "":
		return &Mistake{"draft", "a draft needs the repository that it is in", "add github: OWNER/NAME"}
	case r.Remote != "" && !r.Draft:
		return &Mistake{"remote", "nothing is pushed without a draft", "add draft: true, or take it out"}
	case r.Draft && !r.matches(NeedsPerson):
		return &Mistake{"on", "a draft shows what a person is asked about", "add needs_person"}
	case r.Remote != "":
		return checkRemote(r.Remote, r.tracker().Repository)
	}
	return nil
}

// checkRemote does not repeat an address: it may hold a secret.
func checkRemote(remote, repository string) *Mistake {
	const fix = "write git@github.com:OWNER/NAME.git, https://HOST/OWNER/NAME.git, or an absolute path"
	name, ok := tree.RemoteName(remote)
	switch {
	case strings.HasPrefix(remote, "-") || strings.ContainsFunc(remote, unicode.IsControl):
		return &Mistake{"remote", "this is no address of a repository", fix}
	case filepath.IsAbs(remote):
		return nil
	case !ok:
		return &Mistake{"remote", "this is no address of a repository", fix}
	case hasSecret(remote):
		return &Mistake{"remote", "there is a password in the address", "leave it to git's credential helper, or to gh auth setup-git"}
	case !slices.Equal(lastTwo(name), lastTwo(repository)):
		return &Mistake{"remote", fmt.Sprintf("this is another repository than %s", repository), "let both be the same, so that a branch is where its draft is"}
	}
	return nil
}

// hasSecret says that an address holds a password.
func hasSecret(remote string) bool {
	_, rest, ok := strings.Cut(remote, "://")
	user, _, at := strings.Cut(rest, "@")
	return ok && at && strings.Contains(user, ":") && !strings.Contains(user, "/")
}

// lastTwo are owner and name of a repository, whatever their case.
func lastTwo(path string) []string {
	p := strings.Split(strings.ToLower(path), "/")
	return p[max(0, len(p)-2):]
}
