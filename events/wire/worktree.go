package wire

// apctl makes work trees with the user's own git. The daemon says how.

// SchemaWorktree is the schema of a new work tree.
const SchemaWorktree = "autopilot.worktree"

// WorktreeRoot begins the branches of runs and sessions: autopilot/NAME, or
// autopilot-NAME where a branch is named autopilot.
const WorktreeRoot = "autopilot"

// WorktreeBase is the base of a new work tree's branch.
type WorktreeBase string

// The bases.
const (
	WorktreeHead   WorktreeBase = "head"   // the checked out commit
	WorktreeOrigin WorktreeBase = "origin" // the default branch of the remote, as of the last fetch
)

// WorktreeRequest asks for the settings of work trees made from a directory.
type WorktreeRequest struct {
	Directory string `json:"directory"`
	NoConfig  bool   `json:"no_config,omitzero"` // without the project's settings
}

// WorktreeSettings are the settings of work trees.
type WorktreeSettings struct {
	Wanted  bool         `json:"wanted"` // a run gets one of its own
	Base    WorktreeBase `json:"base"`
	Root    string       `json:"root,omitzero"`    // verbatim; empty is beside the repository
	Seed    []string     `json:"seed"`             // globs of ignored files to copy into it
	Session string       `json:"session,omitzero"` // names the session of the caller, the same way each time
}

// WorktreeView is a work tree made for a session, or found.
type WorktreeView struct {
	Directory   string         `json:"directory"`
	Branch      string         `json:"branch"`
	From        string         `json:"from"`                 // the original work tree
	Base        string         `json:"base,omitzero"`        // base of its branch
	Commit      string         `json:"commit"`               // its commit, at least at first
	There       bool           `json:"there,omitzero"`       // it existed before
	Unpushed    int            `json:"unpushed,omitzero"`    // commits in it that no remote has
	Missing     int            `json:"missing,omitzero"`     // commits of the original that are not in it
	Uncommitted int            `json:"uncommitted,omitzero"` // uncommitted files of the original, so not in it
	Submodules  int            `json:"submodules,omitzero"`  // not checked out in it
	Copied      []string       `json:"copied"`               // files that git ignores, by path
	Left        []WorktreeLeft `json:"left"`                 // wanted files that were not copied
	Next        []NextCommand  `json:"next"`
}

// WorktreeLeft is a file that was not copied.
type WorktreeLeft struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}
