package events

// The events of a host: facts that belong to no run, or to more than its own.
const (
	TypeConfigTrusted     = "config.trusted.v1"
	TypeWorkspaceRestored = "workspace.restored.v1"
)

// Assurance is how sure it is that a person decided, weakest first: session,
// tty, then pin and page, then signature.
type Assurance string

// The assurances that a decision can have.
const (
	AssuredTTY Assurance = "tty" // at a terminal, and typed what was shown there
)

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

// EventType is the stored name of the type.
func (ConfigTrusted) EventType() string { return TypeConfigTrusted }

// EventType is the stored name of the type.
func (WorkspaceRestored) EventType() string { return TypeWorkspaceRestored }
