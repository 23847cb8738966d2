package render

import (
	"errors"
	"fmt"
	"strings"

	"autopilot/ctl/worktree"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Worktree says where the work goes on, what it begins from, and what is not there.
func (s Style) Worktree(p worktree.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "work tree %s%s\n  branch %s, %s", Line(p.Dir), mark(p.Kind == worktree.OldTree, ", which is there already"), s.paint(bold, Line(p.Branch)), beginsFrom(p))
	if p.Unpushed > 0 {
		fmt.Fprintf(&b, ", with %s not pushed yet", count(p.Unpushed, "commit"))
	}
	b.WriteString("\n")
	said := func(holds bool, format string, args ...any) {
		if holds {
			fmt.Fprintf(&b, "  "+format+"\n", args...)
		}
	}
	said(p.NoOrigin, "no remote is known whose default branch was fetched: it begins from what is checked out")
	said(p.Missing > 0, "%s of %s: not part of it", count(p.Missing, "commit"), headOf(p))
	said(p.Uncommitted > 0, "%s not committed in %s: not part of it", count(p.Uncommitted, "file"), Line(p.From))
	said(p.Dirty > 0, "%s not committed in it, from before", count(p.Dirty, "file"))
	said(p.Submodules > 0, "%s not checked out in it: git -C %s submodule update --init", count(p.Submodules, "submodule"), Line(phrase.Quote(p.Dir)))
	if len(p.Seed) > 0 {
		b.WriteString(s.wrap("gets copies of what git ignores here: "+some(p.Seed), "  "))
	}
	return b.String() + left(p.Left)
}

// beginsFrom is the commit that a branch has, and where that is from.
func beginsFrom(p worktree.Plan) string {
	switch {
	case p.Kind == worktree.OldBranch:
		return "which is there, at " + Hash(p.Commit)
	case p.Kind == worktree.OldTree:
		return "at " + Hash(p.Commit)
	case p.Base == "":
		return "from commit " + Hash(p.Commit)
	case p.Base != p.Head:
		return "from " + Line(p.Base) + " at " + Hash(p.Commit) + " as last fetched"
	}
	return "from " + Line(p.Base) + " at " + Hash(p.Commit)
}

func headOf(p worktree.Plan) string {
	if p.Head == "" {
		return "the commit that is checked out in " + Line(p.From)
	}
	return Line(p.Head)
}

// mostNames bounds how many files are named in a line.
const mostNames = 12

func some(names []string) string {
	text := strings.Join(each(names[:min(len(names), mostNames)]), ", ")
	if n := len(names) - mostNames; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// left are files that are wanted in a work tree and not copied.
func left(list []worktree.Left) string {
	var b strings.Builder
	for i, l := range list {
		if i == mostNames {
			fmt.Fprintf(&b, "  not copied: %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "  not copied: %s: %s\n", Line(l.Path), Line(l.Why))
	}
	return b.String()
}

// WorktreeLeft says which files could not be copied.
func WorktreeLeft(list []worktree.Left) string { return left(list) }

// WorktreeMade is a work tree to go on in.
func (s Style) WorktreeMade(v wire.WorktreeView) string {
	made := "was made"
	if v.There {
		made = "was there already"
	}
	return fmt.Sprintf("%s %s, on branch %s\n", Line(v.Directory), made, Line(v.Branch)) + s.next(v.Next)
}

// GoThere is the command that goes to a work tree.
func GoThere(dir string) wire.NextCommand {
	return wire.NextCommand{Command: "cd " + phrase.Quote(dir), Why: "go on there; or name it to each command with -C"}
}

// BeginThere is how a chat begins in a work tree.
func BeginThere() wire.NextCommand {
	return wire.NextCommand{Command: `apctl session join "WHAT SHALL BE DONE" --gate NAME=CMD`, Why: "there, to work on it step by step"}
}

// What to do where there can be no work tree.
const (
	WithoutWorktree = "leave out --worktree to work in place"
	withoutSession  = "name it: --branch NAME"
)

// InPlaceHint is how a session that was offered a work tree begins without one.
func InPlaceHint(mode string) string {
	if mode != "" && mode != "none" {
		mode = " --mode " + mode
	} else {
		mode = ""
	}
	return "apctl peer join" + mode + " --in-place -m WHY   begins here all the same, which is recorded"
}

// NoWorktree is a work tree that cannot be made. hint is what to do without.
func NoWorktree(err error, from, hint string) *wire.Error {
	e := &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("no work tree could be made from %s: %v", from, err), Hint: hint}
	var name *worktree.NameError
	var taken *worktree.TakenError
	var occupied *worktree.OccupiedError
	var root *worktree.RootError
	var escape *worktree.EscapeError
	switch {
	case errors.Is(err, worktree.ErrNoCommit):
		return usage("git commit first, or "+hint, "%s has no commit yet, and a work tree begins from one", from)
	case errors.Is(err, worktree.ErrNoRemote):
		return usage("--base head   begins from what is checked out; git fetch, or git remote set-head origin --auto, makes it known",
			"no remote of %s is known whose default branch was fetched", from)
	case errors.As(err, &name) && name.Use != "":
		return usage("--branch "+phrase.Quote(Line(name.Use)), "%v", err)
	case errors.As(err, &name):
		return usage("use letters, digits and . _ / -", "%v", err)
	case errors.As(err, &taken):
		e.Code, e.Message = wire.Conflict, err.Error()
		if e.Hint = "cd " + phrase.Quote(taken.Dir) + "   to work there, or give another --branch"; taken.Gone {
			e.Message += ", which is there no more"
			e.Hint = "git worktree prune   lets go of it"
		}
	case errors.As(err, &occupied):
		e.Code, e.Message, e.Hint = wire.Conflict, err.Error(), "move it away, or give another --branch"
	case errors.Is(err, worktree.ErrInRepository):
		e.Hint = "set worktree_root in your own file to a directory outside of it; apctl config show   says which file that is"
	case errors.As(err, &root), errors.As(err, &escape):
		e.Hint = "look at the links on the way, and at worktree_root in apctl config show; or " + hint
	}
	return e
}

// NoSessionTree is a session that nobody can tell, so nothing is named after it.
func NoSessionTree() *wire.Error {
	return usage(withoutSession, "the calling session is unknown, so its work tree has no name")
}

// BadBase is a base that is not known.
func BadBase(base string) *wire.Error {
	return usage("--base head, or --base origin", "the base %q is not known", base)
}

// WorktreeStays is a work tree made for what never began, which could not be taken
// away.
func WorktreeStays(dir string, err error) string {
	return Note(fmt.Sprintf("the work tree %s could not be removed: %v", dir, err))
}
