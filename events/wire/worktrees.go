package wire

import "time"

// These types are about the work trees of a repository, and their removal.

// TreeClass is the state of a work tree for a clean-up.
type TreeClass string

// The classes; the first ones are never touched.
const (
	TreeMain   TreeClass = "main"   // the repository's original work tree
	TreeLocked TreeClass = "locked" // by git worktree lock, or by a running git
	TreeInUse  TreeClass = "in-use" // by a process, a run, a session or a claim
	TreeKept   TreeClass = "kept"   // a run or session worked in it not long ago
	TreeYoung  TreeClass = "young"  // it was used not long ago
	TreeStale  TreeClass = "stale"
)

// TreeHold is a reason to keep a work tree.
type TreeHold string

// The reasons.
const (
	HoldMain       TreeHold = "main"
	HoldLocked     TreeHold = "locked"      // What is the given reason
	HoldGitAtWork  TreeHold = "git-at-work" // What is a lock file of git
	HoldProcess    TreeHold = "process"     // What is its program, N its number
	HoldClaim      TreeHold = "claim"       // What is the holder and the claim
	HoldOther      TreeHold = "other-state" // What is the holder, and the state directory
	HoldRun        TreeHold = "run"         // What is the handle: a live or resumable run
	HoldSession    TreeHold = "session"     // What is its name
	HoldRecord     TreeHold = "record"      // What is the run or session that worked in it
	HoldYoung      TreeHold = "young"       // it was used not long ago
	HoldChanged    TreeHold = "changed"     // N tracked files
	HoldStaged     TreeHold = "staged"      // N entries of the index
	HoldUntracked  TreeHold = "untracked"   // N files and folders
	HoldHalfway    TreeHold = "halfway"     // What is the unfinished git command
	HoldAlone      TreeHold = "commits"     // N that no other branch, remote branch or tag has
	HoldUnpushed   TreeHold = "unpushed"    // N that no remote branch has
	HoldNested     TreeHold = "repository"  // What is its place
	HoldSubmodules TreeHold = "submodules"  // submodules have repositories of their own
	HoldContains   TreeHold = "contains"    // What is the folder of autopilot, git or the user in it
	HoldMount      TreeHold = "mount"       // What is its place
	HoldStrange    TreeHold = "strange"     // What is a pipe, socket or device
	HoldStuck      TreeHold = "read-only"   // What is a folder that allows no removal
	HoldBytes      TreeHold = "bytes"       // its files have other bytes than its commit
	HoldNotOurs    TreeHold = "not-ours"    // no run made it
	HoldUnknown    TreeHold = "unknown"     // git does not list it
	HoldUnreadable TreeHold = "unreadable"  // What is the error
	HoldMoved      TreeHold = "moved-on"    // something changed during the look
	HoldUnshown    TreeHold = "not-shown"   // not among the agreed ones
	HoldFailed     TreeHold = "not-removed" // What is the error
)

// TreeHeld is one reason to keep a work tree.
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
	Missing bool       `json:"missing,omitzero"` // its directory is missing
	Here    bool       `json:"here,omitzero"`    // the caller's own
	Ours    bool       `json:"ours,omitzero"`    // made for a run or session
	Branch  string     `json:"branch,omitzero"`  // empty if detached
	Commit  string     `json:"commit,omitzero"`
	Used    *time.Time `json:"used,omitzero"` // the last sign of use; absent is unknown
	Run     string     `json:"run,omitzero"`  // handle of the latest run in it
	RunID   string     `json:"run_id,omitzero"`
	State   string     `json:"run_state,omitzero"`
	Claim   *ClaimView `json:"claim,omitzero"` // claim on it, if held

	Changed   []string `json:"changed,omitzero"`   // of each list the first few; TreeHeld has the numbers
	Staged    []string `json:"staged,omitzero"`    // in the index, and other than in the commit
	Untracked []string `json:"untracked,omitzero"` // folders end with a slash
	Ignored   []string `json:"ignored,omitzero"`
	Alone     int      `json:"commits_alone,omitzero"`    // on no other branch, remote branch or tag
	Unpushed  int      `json:"commits_unpushed,omitzero"` // on no remote branch, where there is one
	Stashes   int      `json:"stashes,omitzero"`          // made on its branch; they belong to the repository, and stay

	Files   int      `json:"files,omitzero"` // all files in it, if counted
	Bytes   int64    `json:"bytes,omitzero"`
	Kept    []string `json:"kept,omitzero"`    // ignored files, recorded before removal
	Lost    []string `json:"lost,omitzero"`    // ignored folders, not recorded
	Removed bool     `json:"removed,omitzero"` // it is gone now
	Gone    bool     `json:"gone,omitzero"`    // another program removed it meanwhile
	Salvage string   `json:"salvage,omitzero"` // name of its record
	Back    []string `json:"back,omitzero"`    // commands to bring it back
}

// MergedBranch is a branch of a run whose commits are on another branch.
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
	Repository string         `json:"repository"` // their shared git directory
	Worktrees  []TreeView     `json:"worktrees"`
	Merged     []MergedBranch `json:"merged_branches"`
	KeepS      int64          `json:"keep_s"` // a tree is young, or kept, for that long
	DryRun     bool           `json:"dry_run,omitzero"`
	Removed    []RemovedTree  `json:"removed"` // work trees to bring back, latest first
}

// RemovedTree is a removed work tree.
type RemovedTree struct {
	Dir     string    `json:"dir"`
	At      time.Time `json:"at"`
	By      string    `json:"by"` // actor
	Branch  string    `json:"branch,omitzero"`
	Commit  string    `json:"commit"`
	Salvage string    `json:"salvage"`
	Back    []string  `json:"back"` // commands to bring it back
}

// Goes counts the work trees that were removed, or would be.
func (v WorktreesView) Goes() (n int) {
	for _, t := range v.Worktrees {
		if t.Goes || t.Removed {
			n++
		}
	}
	return n
}

// WorktreePruneRequest removes stale work trees that nothing holds.
type WorktreePruneRequest struct {
	Workspace string   `json:"workspace"`
	KeepS     int64    `json:"keep_s"`          // a tree is young, or kept, for that long
	All       bool     `json:"all,omitzero"`    // also work trees that no run made
	Agreed    []string `json:"agreed,omitzero"` // directories shown before; no other goes
	DryRun    bool     `json:"dry_run,omitzero"`
}

// SchemaWorktrees is the schema of a list of work trees, pruned ones included.
const SchemaWorktrees = "autopilot.worktrees"
