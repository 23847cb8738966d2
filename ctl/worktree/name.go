package worktree

import (
	"context"
	"strings"
	"unicode"
)

// maxBranch bounds the name of a branch, in bytes.
const maxBranch = 200

// checkBranch refuses what is no name of a branch, or may mean something else to a
// program that it is handed to.
//
// Source: session-orchestrator, seeds 2.7 promotion; S39.
func (g git) checkBranch(ctx context.Context, name string) error {
	bad := func(why string) error { return &NameError{Name: name, Why: why, Use: shortOf(name)} }
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > maxBranch:
		return bad("it is too long")
	case strings.HasPrefix(name, "-"):
		return bad("it begins with -")
	case strings.HasPrefix(name, "refs/"):
		return bad("it is a ref of another kind")
	}
	for _, r := range name {
		letter := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !letter && !strings.ContainsRune("._/-", r) {
			return bad("it holds " + quoteRune(r))
		}
	}
	if _, err := g.run(ctx, "check-ref-format", branchRef(name)); err != nil || name == "HEAD" {
		return bad("git takes no such name")
	}
	return nil
}

// branchOf is the name of a branch that was typed as git names its ref.
func branchOf(typed string) string { return strings.TrimPrefix(typed, branchRef("")) }

// shortOf is the branch that a branch of a remote is the copy of; empty for all else.
func shortOf(ref string) string {
	below, remote := strings.CutPrefix(ref, "refs/remotes/")
	if _, name, ok := strings.Cut(below, "/"); remote && ok {
		return name
	}
	return ""
}

func quoteRune(r rune) string {
	if unicode.IsPrint(r) && r != ' ' {
		return string(r)
	}
	return "white space or a character that is not printed"
}
