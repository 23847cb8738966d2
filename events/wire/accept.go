package wire

// SchemaAccept and SchemaDiscard name the answers of accept and discard.
const (
	SchemaAccept  = "autopilot.accept"
	SchemaDiscard = "autopilot.discard"
)

// The forms in which work is accepted.
const (
	AcceptCommit = "commit" // on the branch that is checked out
	AcceptBranch = "branch" // a branch of its own
	AcceptPR     = "pr"     // that branch as a draft pull request
)

// AcceptRequest takes the work of a done run into a branch.
type AcceptRequest struct {
	RunRef
	As      string     `json:"as,omitzero"` // AcceptCommit by default
	Into    string     `json:"into,omitzero"`
	How     string     `json:"how,omitzero"` // merge, rebase or squash; the settings' by default
	Message string     `json:"message,omitzero"`
	Gates   []GateSpec `json:"gates,omitzero"` // more invariants
	Env     []string   `json:"env,omitzero"`   // of the gates
	DryRun  bool       `json:"dry_run,omitzero"`
}

// AcceptView is how work is taken into a branch. It is judged again on the merged tree by
// Landing, a run; of a run in the user's own tree the client commits Paths instead.
type AcceptView struct {
	Run     RunView  `json:"run"`
	As      string   `json:"as"`
	Dir     string   `json:"directory"`        // the user's work tree
	Target  string   `json:"target"`           // local branch
	Own     bool     `json:"own_tree"`         // the client commits: that very tree was judged
	How     string   `json:"how,omitzero"`     // of a landing
	Gates   []string `json:"gates,omitzero"`   // that judge the merged tree
	Files   []string `json:"files"`            // of the work, for people
	Paths   []string `json:"paths,omitzero"`   // of the work, exact, if Own
	Changed []string `json:"changed,omitzero"` // files that are not as they were judged, if Own
	Judged  string   `json:"judged,omitzero"`  // commit that HEAD was at when the work was judged, if Own
	Head    string   `json:"head,omitzero"`    // where it is now, if Own
	Message string   `json:"message,omitzero"` // of the commit, if Own
	Landing *RunView `json:"landing,omitzero"` // once it has begun
	DryRun  bool     `json:"dry_run,omitzero"`
	// Commit is the accepted commit, once the client has it.
	Commit string `json:"commit,omitzero"`
	Link   string `json:"link,omitzero"` // of the draft pull request
}

// LandView is what a landing run brings where, and what became of that.
type LandView struct {
	Target string   `json:"target"` // local branch
	Commit string   `json:"commit"`
	Onto   string   `json:"onto,omitzero"` // tip of the target at its start
	Of     []string `json:"of"`            // handles of the runs whose work it is
	State  string   `json:"state,omitzero"`
	Ref    string   `json:"ref,omitzero"`  // keeps the commit of a target that is checked out
	Said   string   `json:"said,omitzero"` // why the target did not move
}

// DiscardRequest takes the work of a run away.
type DiscardRequest struct {
	RunRef
	DryRun bool `json:"dry_run,omitzero"`
}

// DiscardView is what goes, or went. A run in a work tree of its own loses that and its
// branch; in the user's tree the files are as at the start of the run.
type DiscardView struct {
	Run     RunView      `json:"run"`
	Tree    *TreeView    `json:"worktree,omitzero"`
	Branch  string       `json:"branch,omitzero"`
	Commit  string       `json:"commit,omitzero"` // of the branch
	Restore *RestoreView `json:"restore,omitzero"`
	Undo    []string     `json:"undo,omitzero"` // commands that take it back
	DryRun  bool         `json:"dry_run,omitzero"`
}

// Nothing says that nothing of the work is left to go.
func (v DiscardView) Nothing() bool {
	if v.Restore != nil {
		return v.Restore.Unchanged
	}
	return v.Tree != nil && v.Tree.Missing && v.Commit == ""
}
