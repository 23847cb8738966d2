package events

// The events of a host: facts that belong to no run, or to more than its own.
const (
	TypeConfigTrusted     = "config.trusted.v1"
	TypeWorkspaceRestored = "workspace.restored.v1"
	TypeRunErased         = "run.erased.v1"
	TypeTextsPruned       = "texts.pruned.v1"
	TypeWorktreePruned    = "worktree.pruned.v1"
	TypeLogRolled         = "log.rolled.v1"
	TypeBundleImported    = "bundle.imported.v1"
)

// Assurance is how sure it is that a person decided, weakest first: handoff,
// session, tty, then pin and page, then signature.
type Assurance string

// The assurances that a decision can have.
const (
	AssuredHandoff   Assurance = "handoff"   // nobody looked: who started the run had handed the gate over
	AssuredSession   Assurance = "session"   // in the dialog of a host program that drives the run
	AssuredTTY       Assurance = "tty"       // at a terminal, and typed what was shown there
	AssuredPIN       Assurance = "pin"       // and typed a secret
	AssuredPage      Assurance = "page"      // on a page that the secret opened
	AssuredSignature Assurance = "signature" // with a key
)

// Weak says that no person is known to have looked at what was decided: it was
// handed over, or a chat says so.
func (a Assurance) Weak() bool { return a == AssuredHandoff || a == AssuredSession }

// Level orders assurances, from 1; 0 is none that is known, and a gate that was
// handed over.
func (a Assurance) Level() int {
	switch a {
	case AssuredSession:
		return 1
	case AssuredTTY:
		return 2
	case AssuredPIN, AssuredPage:
		return 3
	case AssuredSignature:
		return 4
	case AssuredHandoff:
	}
	return 0
}

// ConfigTrusted says that a person agreed to the content of a project's
// configuration file, for every work tree of the repository.
type ConfigTrusted struct {
	Repository string    `json:"repository"` // 16 hex of the SHA-256 of the real path of the common git directory
	Config     Ref       `json:"config"`     // the content, so its name is what is trusted
	File       Ref       `json:"file"`       // real path of the file that was shown
	Assurance  Assurance `json:"assurance"`
}

// WorkspaceRestored says that the workspace of a run was taken back to a
// recorded tree.
type WorkspaceRestored struct {
	Run     string `json:"run"`           // id of the run whose tree it is
	Project string `json:"project"`       // workspace id, as of the run
	To      Name   `json:"to"`            // the iteration, 0 for the start, or the name of a kept tree
	Tree    Tree   `json:"tree"`          // as it is now
	Before  Tree   `json:"before"`        // as it was
	Kept    Name   `json:"kept,omitzero"` // under which Before was kept
}

// RunErased says that a person had the texts, outputs and recorded trees of a
// run removed. Its events stand, so that the chain stays valid. It is a fact of
// the host, as the run is over, and may be in no stream any more.
type RunErased struct {
	Run       string    `json:"run"`   // id
	Texts     int       `json:"texts"` // that no other run names, and are gone
	Assurance Assurance `json:"assurance"`
}

// TextsPruned says that the texts, outputs and recorded trees of all runs that
// were over before a moment were removed.
type TextsPruned struct {
	BeforeMS int64 `json:"before_ms"` // Unix milliseconds
	Runs     int   `json:"runs"`      // that had some
	Texts    int   `json:"texts"`
}

// WorktreePruned says that a work tree was removed, and by what it can be found
// again. Its branch stays.
type WorktreePruned struct {
	Project    string `json:"project"`            // workspace id, as of the runs in it
	Repository string `json:"repository"`         // 16 hex of the SHA-256 of the real path of the common git directory
	Salvage    string `json:"salvage"`            // id under which its trees were kept
	Tree       Tree   `json:"tree,omitzero"`      // all of it, with ignored files; empty where there were no files any more
	Commit     string `json:"commit"`             // of HEAD
	Branch     Ref    `json:"branch,omitzero"`    // name of the branch; empty if detached
	Directory  Ref    `json:"directory,omitzero"` // where it was
}

// LogRolled says that the log began a new generation: what was over went into a
// bundle, all else was carried over as it was.
type LogRolled struct {
	From    int    `json:"from"` // generation
	To      int    `json:"to"`
	Bundle  Digest `json:"bundle,omitzero"` // empty if no run was over
	Runs    int    `json:"runs"`            // in the bundle
	Events  int    `json:"events"`          // in the bundle
	Carried int    `json:"carried"`         // events that went over
}

// BundleImported says that the history of runs came from a file. It is read-only.
type BundleImported struct {
	Bundle Digest `json:"bundle"`
	Runs   int    `json:"runs"`
	Events int    `json:"events"`
}

// EventType is the stored name of the type.
func (RunErased) EventType() string { return TypeRunErased }

// EventType is the stored name of the type.
func (TextsPruned) EventType() string { return TypeTextsPruned }

// EventType is the stored name of the type.
func (WorktreePruned) EventType() string { return TypeWorktreePruned }

// EventType is the stored name of the type.
func (LogRolled) EventType() string { return TypeLogRolled }

// EventType is the stored name of the type.
func (BundleImported) EventType() string { return TypeBundleImported }

// EventType is the stored name of the type.
func (ConfigTrusted) EventType() string { return TypeConfigTrusted }

// EventType is the stored name of the type.
func (WorkspaceRestored) EventType() string { return TypeWorkspaceRestored }
