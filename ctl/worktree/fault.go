package worktree

import (
	"errors"
	"fmt"
)

// The failures that a caller may tell apart. All others are what git, or the
// system, has said.
var (
	ErrNoCommit = errors.New("there is no commit yet, and a work tree begins from one")
	ErrNoRemote = errors.New("there is no remote whose default branch is known here")
)

// NameError is a name that no branch may have here. Use is the one to give instead,
// where that can be told.
type NameError struct{ Name, Why, Use string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is not a valid name for a branch here: %s", e.Name, e.Why)
}

// TakenError is a branch that another work tree has checked out.
type TakenError struct {
	Branch, Dir string
	Gone        bool // the directory is there no more
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("branch %s is checked out in %s", e.Branch, e.Dir)
}

// OccupiedError is a directory that is there, and is no work tree of the branch.
type OccupiedError struct{ Dir, Branch string }

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("%s is there already, and is no work tree of branch %s", e.Dir, e.Branch)
}

// EscapeError is a place that leads out of the root that it should be below.
type EscapeError struct{ Dir, Real, Root string }

func (e *EscapeError) Error() string {
	return fmt.Sprintf("%s leads to %s, which is not below %s", e.Dir, e.Real, e.Root)
}

// ErrInRepository is a place where git keeps a repository.
var ErrInRepository = errors.New("it leads into what git keeps of a repository")

// RootError is a root that cannot be one.
type RootError struct {
	Root string
	Err  error
}

func (e *RootError) Error() string {
	return fmt.Sprintf("%s cannot hold work trees: %v", e.Root, e.Err)
}
func (e *RootError) Unwrap() error { return e.Err }

// GlobError is a glob of files to be copied that cannot be one.
type GlobError struct{ Glob string }

func (e *GlobError) Error() string {
	return fmt.Sprintf("%q names no files below the work tree", e.Glob)
}
