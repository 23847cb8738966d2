package rule

import (
	"slices"
	"strings"
)

// Send is what a command sends to a branch elsewhere, or does to a request to
// merge one.
type Send struct {
	Dir    string // as seen from where the command runs, absolute, or below HOME with "~/" before it
	Branch string // empty is the one that is checked out there
	Every  bool   // all branches
	With   string // the command: "git push"
}

// Sends are the branches that a command for a shell sends to, as far as its text
// shows: git push and gh pr edit, merge and ready, wherever they are in it. What is
// only known when it runs shows nothing.
//
// Source: atdd-kit, seeds 3.10 and 8, Q33: a guard that looked at the start of a
// command let compound ones through.
func Sends(text string) []Send {
	t := toucher{dir: "."}
	t.text(text)
	return t.sent
}

func (t *toucher) send(s Send) {
	if s.Dir = t.dir; s.Dir != "" {
		t.sent = append(t.sent, s)
	}
}

// pushValued are the long options of git push that are followed by a word of
// their own.
var pushValued = []string{"--push-option", "--receive-pack", "--exec", "--repo"}

// push reads the arguments of git push.
func (t *toucher) push(args []string) {
	const with = "git push"
	var refs []string
	remote, every, deletes, closed := false, false, false, false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case closed || !strings.HasPrefix(a, "-"):
			if remote {
				refs = append(refs, a)
			}
			remote = true
		case a == "--":
			closed = true
		case a == "-n" || a == "--dry-run" || a == "-h" || a == "--help":
			return
		case a == "--all" || a == "--branches" || a == "--mirror":
			every = true
		case a == "-d" || a == "--delete":
			deletes = true
		case a == "-o" || slices.Contains(pushValued, a):
			i++
		}
	}
	switch {
	case every:
		t.send(Send{Every: true, With: with})
	case len(refs) == 0 && !deletes:
		t.send(Send{With: with})
	}
	for _, r := range refs {
		if branch, every, ok := pushed(r); ok {
			t.send(Send{Branch: branch, Every: every, With: with})
		}
	}
}

// pushed is the branch that a refspec writes to; empty is the one that is checked
// out.
func pushed(refspec string) (branch string, every, ok bool) {
	if refspec == "" {
		return "", false, false // only known when it runs
	}
	from, to, both := strings.Cut(strings.TrimPrefix(refspec, "+"), ":")
	if !both {
		to = from
	}
	if from == "" && to == "" || strings.Contains(to, "*") {
		return "", true, true // all that match
	}
	if to == "HEAD" || to == "@" {
		return "", false, true
	}
	name, branchRef := strings.CutPrefix(to, "refs/heads/")
	if !branchRef {
		name = strings.TrimPrefix(name, "heads/")
	}
	return name, false, name != "" && !strings.HasPrefix(name, "refs/")
}

// ghValued are the options of gh pr edit, merge and ready that are followed by a
// word of their own.
var ghValued = []string{
	"-t", "--title", "-b", "--body", "-F", "--body-file", "-B", "--base", "-m", "--milestone", "-A", "--author-email",
	"--subject", "--match-head-commit", "-R", "--repo", "--add-label", "--remove-label", "--add-reviewer", "--remove-reviewer",
	"--add-assignee", "--remove-assignee", "--add-project", "--remove-project",
}

// ghFlags are those of them that stand alone in gh pr merge.
var ghFlags = []string{"-m"}

// gh reads the arguments of gh. A request is named by its branch, or is that of the
// branch which is checked out; by its number its branch is not known.
func (t *toucher) gh(args []string) {
	words := make([]string, 0, len(args))
	verb := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-R" || a == "--repo" || strings.HasPrefix(a, "--repo="):
			return // of another repository, as far as can be seen
		case strings.HasPrefix(a, "-"):
			if slices.Contains(ghValued, a) && (verb != "merge" || !slices.Contains(ghFlags, a)) {
				i++
			}
		default:
			if words = append(words, a); len(words) == 2 {
				verb = a
			}
		}
	}
	if len(words) < 2 || words[0] != "pr" || !slices.Contains([]string{"edit", "merge", "ready"}, verb) {
		return
	}
	s := Send{With: "gh pr " + verb}
	if len(words) > 2 {
		if s.Branch = words[2]; !namesBranch(s.Branch) {
			return
		}
	}
	t.send(s)
}

// namesBranch says that an argument of gh pr is a branch: no number, and no
// address.
func namesBranch(arg string) bool {
	digits := strings.Trim(strings.TrimPrefix(arg, "#"), "0123456789") == ""
	return arg != "" && !digits && !strings.Contains(arg, "://")
}
