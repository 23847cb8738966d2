package wire

// GitView is the latest recorded git state of a run's work tree, with the changes since
// the start of the run.
type GitView struct {
	Commit  string      `json:"commit,omitzero"` // of HEAD; empty before the first
	Branch  string      `json:"branch,omitzero"` // checked out; empty off a branch
	Changes []GitChange `json:"changes"`
	// Next are commands that save work at risk. None moves HEAD or a branch.
	Next []NextCommand `json:"next,omitzero"`
}

// GitChange is one change of the state of git.
type GitChange struct {
	Kind    string   `json:"kind"`             // commits, commits-lost, commits-loose, operation, switched, pushed, branch-added, tag-added, hook-added, remote-changed, config, ...
	Name    string   `json:"name,omitzero"`    // of the branch, tag, hook, key ...
	From    string   `json:"from,omitzero"`    // commit or name before
	To      string   `json:"to,omitzero"`      // and now
	Count   int      `json:"count,omitzero"`   // of commits or files
	Commits []string `json:"commits,omitzero"` // the first new ones, newest first
	Line    string   `json:"line"`             // the same for people
}
