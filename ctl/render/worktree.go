package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Worktree is a work tree of git that is made for one run.
type Worktree struct {
	From        string // the work tree that it is made from
	Dir, Branch string
	Base        string // branch that it begins from, empty for none
	Commit      string
	Unpushed    int // commits of Base that no remote has: they are in it
	Uncommitted int // files of From that are in no commit: they are not
}

// Worktree says where a run works and what it begins from.
func (s Style) Worktree(w Worktree) string {
	base := "commit " + Hash(w.Commit)
	if w.Base != "" {
		base = Line(w.Base) + " at " + Hash(w.Commit)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "work tree %s\n  branch %s, from %s", Line(w.Dir), s.paint(bold, Line(w.Branch)), base)
	if w.Unpushed > 0 {
		fmt.Fprintf(&b, ", with %s not pushed yet", count(w.Unpushed, "commit"))
	}
	b.WriteString("\n")
	if w.Uncommitted > 0 {
		fmt.Fprintf(&b, "  %s not committed in %s: not part of it\n", count(w.Uncommitted, "file"), Line(w.From))
	}
	return b.String()
}

// NoWorktree is a work tree that cannot be made.
func NoWorktree(dir string, err error) *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: fmt.Sprintf("no work tree could be made from %s: %v", dir, err),
		Hint: "leave out --worktree to work in place",
	}
}

// WorktreeStays is a work tree of a run that never began, which could not be
// taken away.
func WorktreeStays(w Worktree, err error) string {
	return Note(fmt.Sprintf("the work tree %s could not be removed: %v", w.Dir, err))
}

// NoCommit is a repository that has nothing to begin from.
func NoCommit(dir string) *wire.Error {
	return usage("git commit first, or leave out --worktree to work in place",
		"%s has no commit yet, and a work tree begins from one", dir)
}
