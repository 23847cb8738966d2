package wire

import "time"

// The work trees of a repository, and what becomes of them.

// TreeClass is what a work tree is to whoever cleans up.
type TreeClass string

// The classes, those that are never touched first.
const (
	TreeMain   TreeClass = "main"   // the one that the repository came with
	TreeLocked TreeClass = "locked" // by git worktree lock, or by a git that is at work in it
	TreeInUse  TreeClass = "in-use" // by a process, a run, a session or a claim
	TreeKept   TreeClass = "kept"   // a run or session worked in it not long ago
	TreeYoung  TreeClass = "young"  // it was used not long ago
	TreeStale  TreeClass = "stale"
)

// TreeHold is a reason for which a work tree stays.
type TreeHold string

// The reasons.
const (
	HoldMain       TreeHold = "main"
	HoldLocked     TreeHold = "locked"      // What is the reason that was given
	HoldGitAtWork  TreeHold = "git-at-work" // What is a lock file of git
	HoldProcess    TreeHold = "process"     // What is its program, N its number
	HoldClaim      TreeHold = "claim"       // What is who holds which one
	HoldOther      TreeHold = "other-state" // What is who holds it, and the state directory
	HoldRun        TreeHold = "run"         // What is the handle: it is live, or can be resumed
	HoldSession    TreeHold = "session"     // What is its name
	HoldRecord     TreeHold = "record"      // What is the run or session that worked in it
	HoldYoung      TreeHold = "young"       // it was used not long ago
	HoldChanged    TreeHold = "changed"     // N tracked files
	HoldStaged     TreeHold = "staged"      // N entries of the index
	HoldUntracked  TreeHold = "untracked"   // N files and folders
	HoldHalfway    TreeHold = "halfway"     // What is the command of git that has not ended
	HoldAlone      TreeHold = "commits"     // N that no other branch, remote branch or tag has
	HoldUnpushed   TreeHold = "unpushed"    // N that no remote branch has
	HoldNested     TreeHold = "repository"  // What is where
	HoldSubmodules TreeHold = "submodules"  // they have repositories of their own
	HoldContains   TreeHold = "contains"    // What is the folder of autopilot, git or the user in it
	HoldMount      TreeHold = "mount"       // What is where
	HoldStrange    TreeHold = "strange"     // What is a pipe, socket or device
	HoldStuck      TreeHold = "read-only"   // What is a folder that nothing can be removed from
	HoldBytes      TreeHold = "bytes"       // its files have other bytes than its commit
	HoldNotOurs    TreeHold = "not-ours"    // no run made it
	HoldUnknown    TreeHold = "unknown"     // git does not list it
	HoldUnreadable TreeHold = "unreadable"  // What is the error
	HoldMoved      TreeHold = "moved-on"    // something changed while it was looked at
	HoldUnshown    TreeHold = "not-shown"   // it was not among those that were agreed to
	HoldFailed     TreeHold = "not-removed" // What is the error
)

// TreeHeld is one reason for which a work tree stays.
type TreeHeld struct {
	Why  TreeHold `json:"why"`
	What string   `json:"what,omitzero"`
	N    int      `json:"n,omitzero"`
}

// TreeView is a work tree.
type TreeView struct {
	Dir     string     `json:"dir"`
	ID      string     `json:"id"` // first 16 hex digits of the SHA-256 of dir
	Class   TreeClass  `json:"class"`
	Goes    bool       `json:"goes,omitzero"` // nothing holds it
	Held    []TreeHeld `json:"held"`          // why it stays
	Main    bool       `json:"main,omitzero"`
	Missing bool       `json:"missing,omitzero"` // its directory is not there
	Here    bool       `json:"here,omitzero"`    // it is the one that was asked from
	Ours    bool       `json:"ours,omitzero"`    // it was made for a run or session
	Branch  string     `json:"branch,omitzero"`  // empty if detached
	Commit  string     `json:"commit,omitzero"`
	Used    *time.Time `json:"used,omitzero"` // the last sign of use; absent is unknown
	Run     string     `json:"run,omitzero"`  // handle of the latest run in it
	RunID   string     `json:"run_id,omitzero"`
	State   string     `json:"run_state,omitzero"`
	Claim   *ClaimView `json:"claim,omitzero"` // on it, if somebody holds that

	Changed   []string `json:"changed,omitzero"`   // of each list the first few; TreeHeld has the numbers
	Staged    []string `json:"staged,omitzero"`    // in the index, and not as in the commit
	Untracked []string `json:"untracked,omitzero"` // folders end with a slash
	Ignored   []string `json:"ignored,omitzero"`
	Alone     int      `json:"commits_alone,omitzero"`    // that no other branch, remote branch or tag has
	Unpushed  int      `json:"commits_unpushed,omitzero"` // that no remote branch has, where there is one
	Stashes   int      `json:"stashes,omitzero"`          // made on its branch; they belong to the repository, and stay

	Files   int      `json:"files,omitzero"` // all in it, where that was counted
	Bytes   int64    `json:"bytes,omitzero"`
	Kept    []string `json:"kept,omitzero"`    // ignored files that are recorded before it goes
	Lost    []string `json:"lost,omitzero"`    // ignored folders that are not
	Removed bool     `json:"removed,omitzero"` // it is gone now
	Gone    bool     `json:"gone,omitzero"`    // somebody else has removed it meanwhile
	Salvage string   `json:"salvage,omitzero"` // name under which it was recorded
	Back    []string `json:"back,omitzero"`    // commands that bring it back
}

// MergedBranch is a branch of runs whose commits another one has.
type MergedBranch struct {
	Name string `json:"name"`
	In   string `json:"in"`
}

// WorktreesRequest asks for the work trees of the repository of a directory.
type WorktreesRequest struct {
	Workspace string `json:"workspace"`
}

// WorktreesView is the work trees of a repository, the main one first.
type WorktreesView struct {
	Repository string         `json:"repository"` // the git directory that they share
	Worktrees  []TreeView     `json:"worktrees"`
	Merged     []MergedBranch `json:"merged_branches"`
	KeepS      int64          `json:"keep_s"` // for so long a tree is young, or kept
	DryRun     bool           `json:"dry_run,omitzero"`
	Removed    []RemovedTree  `json:"removed"` // that can be brought back, the latest first
}

// RemovedTree is a work tree that was removed.
type RemovedTree struct {
	Dir     string    `json:"dir"`
	At      time.Time `json:"at"`
	By      string    `json:"by"` // actor
	Branch  string    `json:"branch,omitzero"`
	Commit  string    `json:"commit"`
	Salvage string    `json:"salvage"`
	Back    []string  `json:"back"` // commands that bring it back
}

// Goes is how many work trees were removed, or would be.
func (v WorktreesView) Goes() (n int) {
	for _, t := range v.Worktrees {
		if t.Goes || t.Removed {
			n++
		}
	}
	return n
}

// WorktreePruneRequest removes work trees that are stale and hold nothing.
type WorktreePruneRequest struct {
	Workspace string   `json:"workspace"`
	KeepS     int64    `json:"keep_s"`          // for so long a tree is young, or kept
	All       bool     `json:"all,omitzero"`    // those that no run made, too
	Agreed    []string `json:"agreed,omitzero"` // directories that were shown; no other is removed
	DryRun    bool     `json:"dry_run,omitzero"`
}

// SchemaWorktrees is a list of work trees, also of those that were pruned.
const SchemaWorktrees = "autopilot.worktrees"
