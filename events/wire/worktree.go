package wire

// Work trees of git are made by apctl, with the user's own git. The daemon says how.

// SchemaWorktree is the schema of a work tree that was made.
const SchemaWorktree = "autopilot.worktree"

// WorktreeRoot is what the branches of runs and sessions begin with: autopilot/NAME,
// or autopilot-NAME where a branch has that name alone.
const WorktreeRoot = "autopilot"

// WorktreeBase is what the branch of a new work tree begins from.
type WorktreeBase string

// The bases.
const (
	WorktreeHead   WorktreeBase = "head"   // the commit that is checked out
	WorktreeOrigin WorktreeBase = "origin" // the default branch of the remote, as it was last fetched
)

// WorktreeRequest asks for the settings of work trees that are made from a
// directory.
type WorktreeRequest struct {
	Directory string `json:"directory"`
	NoConfig  bool   `json:"no_config,omitzero"` // without those of the project
}

// WorktreeSettings are the settings of work trees.
type WorktreeSettings struct {
	Wanted  bool         `json:"wanted"` // a run has one of its own
	Base    WorktreeBase `json:"base"`
	Root    string       `json:"root,omitzero"`    // as it was written; without it beside the repository
	Seed    []string     `json:"seed"`             // globs of ignored files that it gets copies of
	Session string       `json:"session,omitzero"` // names the session of the caller, the same way each time
}

// WorktreeView is a work tree that was made for a session, or was there.
type WorktreeView struct {
	Directory   string         `json:"directory"`
	Branch      string         `json:"branch"`
	From        string         `json:"from"`                 // the work tree that it was made from
	Base        string         `json:"base,omitzero"`        // branch that its own begins from
	Commit      string         `json:"commit"`               // that it has, or begins from
	There       bool           `json:"there,omitzero"`       // it was there already
	Unpushed    int            `json:"unpushed,omitzero"`    // commits in it that no remote has
	Missing     int            `json:"missing,omitzero"`     // commits of where it was made from that are not in it
	Uncommitted int            `json:"uncommitted,omitzero"` // files of where it was made from that are in no commit, so not in it
	Submodules  int            `json:"submodules,omitzero"`  // that are not checked out in it
	Copied      []string       `json:"copied"`               // files that git ignores, by path
	Left        []WorktreeLeft `json:"left"`                 // files that were wanted there, and not copied
	Next        []NextCommand  `json:"next"`
}

// WorktreeLeft is a file that was not copied.
type WorktreeLeft struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}
