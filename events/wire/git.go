package wire

// GitView is the state of git in the work tree of a run when the daemon looked last,
// and what has changed since the start of the run.
type GitView struct {
	Commit  string      `json:"commit,omitzero"` // of HEAD; empty before the first
	Branch  string      `json:"branch,omitzero"` // that is checked out; empty off a branch
	Changes []GitChange `json:"changes"`
	// Next are commands that keep what could be lost. None moves HEAD or a branch.
	Next []NextCommand `json:"next,omitzero"`
}

// GitChange is one change of the state of git.
type GitChange struct {
	Kind    string   `json:"kind"`             // commits, commits-lost, commits-loose, operation, switched, pushed, branch-added, tag-added, hook-added, remote-changed, config, ...
	Name    string   `json:"name,omitzero"`    // of the branch, tag, hook, key ...
	From    string   `json:"from,omitzero"`    // commit or name before
	To      string   `json:"to,omitzero"`      // and now
	Count   int      `json:"count,omitzero"`   // of commits or files
	Commits []string `json:"commits,omitzero"` // the first of new ones, the newest first
	Line    string   `json:"line"`             // the same for people
}
