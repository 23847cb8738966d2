package tree

import (
	"os"
	"path/filepath"
	"time"
)

// IndexLock is a lock on the user's own index of a work tree: while it is there git
// add, commit and checkout fail. Nothing here is stopped by it, and nothing here
// takes it away.
type IndexLock struct {
	Path  string
	Since time.Time
	PID   int // of a git that works there, or of who has it open; zero is none that was seen
}

// IndexLock is the lock on the index of a work tree, if there is one.
func (w Workspace) IndexLock() (IndexLock, bool) {
	gd, err := gitDirOf(w.Path)
	if err != nil {
		return IndexLock{}, false
	}
	path := filepath.Join(gd.dir, "index.lock")
	info, err := os.Lstat(path)
	if err != nil {
		return IndexLock{}, false
	}
	return IndexLock{Path: path, Since: info.ModTime(), PID: holderOf(path, w.Path)}, true
}
