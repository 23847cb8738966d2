package rule

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Moved is a path that differs between the work tree as a run saw it last and as it
// is now.
type Moved struct {
	Path  string
	Known bool      // it was there when the run saw it last
	Whole bool      // its content is recorded, before and now
	At    time.Time // when it was changed last; of one that is gone, the folder that it was in
}

// LateWrites is how long what changes after a run has seen its work tree is taken
// for the echo of its own work: a watcher that formats what was saved, a file that
// is flushed late.
const LateWrites = 10 * time.Second

// Foreign are the paths that somebody else has changed since a run saw its work
// tree, at taken: empty as long as nothing says so for sure. A new file says nothing,
// as tools leave some behind; beside others it is named.
//
// Source: Field reports, B.4 61: edits of another session in the same checkout are
// noticed, and stop the run before it goes on.
func Foreign(moved []Moved, taken time.Time, late time.Duration) []string {
	var out []string
	sure := false
	for _, m := range moved {
		if !Counts(m.Path) || !m.At.After(taken.Add(late)) {
			continue
		}
		out = append(out, m.Path)
		sure = sure || m.Known && m.Whole
	}
	if !sure {
		return nil
	}
	return out
}

// Counts says that a change of a path can be that of a person or a session. What
// editors, servers and builds write at any time does not: hidden files and folders,
// copies and locks of editors, logs, databases and what belongs to them, and what is
// made from other files.
func Counts(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || slices.Contains(madeNames, part) {
			return false
		}
	}
	base := path.Base(name)
	if strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#") {
		return false
	}
	return !slices.ContainsFunc(madeEndings, func(end string) bool { return strings.HasSuffix(base, end) })
}

// madeNames are files and folders that tools write, whatever is in them.
var madeNames = []string{
	"4913", // vim tries whether it may write
	"node_modules", "__pycache__", "nohup.out", "next-env.d.ts", "package-lock.json", "go.sum", "go.work.sum", "pnpm-lock.yaml",
}

var madeEndings = []string{
	"~", ".swp", ".swo", ".swx", ".tmp", ".temp", ".bak", ".orig", ".rej", // editors, patches
	".lock", ".pid", ".sock", ".log", ".out", // what runs
	".db", ".sqlite", ".sqlite3", "-journal", "-wal", "-shm", // databases
	".pyc", ".tsbuildinfo", ".iml", // what is made
}

// HeadSeen is where the HEAD of a work tree was, or is.
type HeadSeen struct {
	Commit string // empty before the first
	Branch string // its full name; empty off a branch
}

// HeadMoved says that somebody else has moved the HEAD of a work tree between two
// iterations: to another branch, or on its branch to where its history does not lead
// on from. A commit on top of it moves nothing away. leadsOn is asked only where that
// matters.
//
// Source: Field reports, B.4 61: the branch was switched under the other.
func HeadMoved(was, is HeadSeen, leadsOn func() bool) bool {
	switch {
	case was == (HeadSeen{}) || is == (HeadSeen{}):
		return false // not known
	case was.Branch != is.Branch:
		return true
	case was.Commit == is.Commit || was.Commit == "":
		return false
	}
	return is.Commit == "" || !leadsOn()
}
