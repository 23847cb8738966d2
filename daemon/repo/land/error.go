package land

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoGates says that nothing would check the merged tree.
	ErrNoGates = errors.New("nothing checks the merged tree")
	// ErrNothing says that the target has all of the work.
	ErrNothing = errors.New("the target branch has the work already")
	// ErrNoTarget says that there is no such branch or commit.
	ErrNoTarget = errors.New("there is no such branch")
	// ErrOldGit says that git cannot merge without a work tree.
	ErrOldGit = errors.New("git merge-tree --write-tree is not known: landing needs git 2.38 or newer")
)

// ConflictError says that work cannot be brought onto the target without a person or an
// agent: it changes what others have changed there.
type ConflictError struct {
	Run   string   // whose work it is
	Files []string // sorted
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("run %s conflicts with the target branch in %s", e.Run, strings.Join(e.Files, ", "))
}

// MergesError says that work has merges of its own, which a rebase would lose.
type MergesError struct{ Run string }

func (e *MergesError) Error() string {
	return fmt.Sprintf("the commits of run %s have merges among them, and cannot be rebased", e.Run)
}
