package wire

import "time"

// ClaimsRequest asks who holds what in the repository of a directory, or in all.
type ClaimsRequest struct {
	Workspace string `json:"workspace,omitzero"`
	All       bool   `json:"all,omitzero"`
}

// ClaimRequest is about one claim. Nothing in it says who the caller is.
type ClaimRequest struct {
	Workspace string `json:"workspace"`        // directory in the repository
	Key       string `json:"key"`              // workspace, branch:NAME, issue:NAME or merge:NAME
	TTL       int64  `json:"ttl_s,omitzero"`   // take: seconds, 0 is what a claim that is renewed had, else the default
	Typed     string `json:"typed,omitzero"`   // force: the key, as a person typed it
	PIN       string `json:"pin,omitzero"`     // force: where one is set
	Fence     uint64 `json:"fence,omitzero"`   // force: of the holder that was shown
	Decided   bool   `json:"decided,omitzero"` // force: without it, what would be forced is only shown
}

// SchemaClaims is the schema of what peer claims, take and drop answer.
const SchemaClaims = "autopilot.claims"

// ClaimsView is who holds what.
type ClaimsView struct {
	Claims []ClaimView `json:"claims"`
	PIN    bool        `json:"pin,omitzero"`  // one is set
	Team   *TeamView   `json:"team,omitzero"` // whom claims are shared with; with a problem what others hold may have changed
}

// The states of a claim.
const (
	ClaimFree    = "free"
	ClaimHeld    = "held"    // its holder was heard of in time
	ClaimOverdue = "overdue" // it was not, and its process goes on
	ClaimStale   = "stale"   // the next caller has it
)

// ClaimView is one claim.
type ClaimView struct {
	Key       string     `json:"key"` // as it is typed
	Kind      string     `json:"kind"`
	Of        string     `json:"of"`                 // real path of the work tree, or the repository: the name of its remote, its first commit, or a path of one host
	Directory string     `json:"directory,omitzero"` // of that repository, if it is the one of the caller
	State     string     `json:"state"`              // free, held, overdue or stale
	Fence     uint64     `json:"fence,omitzero"`
	Holder    string     `json:"holder,omitzero"`    // for people
	Run       string     `json:"run,omitzero"`       // handle of the run that holds it
	Program   string     `json:"program,omitzero"`   // of the session that holds it
	PID       int        `json:"pid,omitzero"`       // ditto
	Host      string     `json:"host,omitzero"`      // of the holder, if it is another
	StateDir  string     `json:"state_dir,omitzero"` // of the holder, if it is another: its claims are not in this log
	Mine      bool       `json:"mine,omitzero"`      // the caller holds it
	Alive     bool       `json:"alive,omitzero"`     // the run or process goes on
	Since     *time.Time `json:"since,omitzero"`
	Beat      *time.Time `json:"beat,omitzero"`  // when the holder was last heard of
	Until     *time.Time `json:"until,omitzero"` // held until then, if it is not heard of before
	TTL       int64      `json:"ttl_s,omitzero"` // seconds
	Forced    bool       `json:"forced,omitzero"`
	Assurance string     `json:"assurance,omitzero"` // forced: with that
}
