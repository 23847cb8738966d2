package wire

import "time"

// ClaimsRequest asks for the claims in the repository of a directory, or for all claims.
type ClaimsRequest struct {
	Workspace string `json:"workspace,omitzero"`
	All       bool   `json:"all,omitzero"`
}

// ClaimRequest is about one claim. The connection names the caller, not the request.
type ClaimRequest struct {
	Workspace string `json:"workspace"`        // directory in the repository
	Key       string `json:"key"`              // workspace, branch:NAME, issue:NAME or merge:NAME
	TTL       int64  `json:"ttl_s,omitzero"`   // take: seconds; 0 keeps the TTL of a renewed claim, else the default
	Typed     string `json:"typed,omitzero"`   // force: the key, as a person typed it
	PIN       string `json:"pin,omitzero"`     // force: where one is set
	Fence     uint64 `json:"fence,omitzero"`   // force: of the holder that was shown
	Decided   bool   `json:"decided,omitzero"` // force: without it, the answer only shows the claim
}

// SchemaClaims is the schema of peer claims, take and drop.
const SchemaClaims = "autopilot.claims"

// ClaimsView lists claims and their holders.
type ClaimsView struct {
	Claims []ClaimView `json:"claims"`
	PIN    bool        `json:"pin,omitzero"`  // a PIN is set
	Team   *TeamView   `json:"team,omitzero"` // servers for shared claims; with a problem, claims of others may have changed
	// Unknown: nothing was heard of the team since the daemon started, so claims on what
	// hosts have in common are not listed.
	Unknown bool `json:"unknown,omitzero"`
}

// The states of a claim.
const (
	ClaimFree    = "free"
	ClaimHeld    = "held"    // its holder gave a sign of life in time
	ClaimOverdue = "overdue" // its holder gave none in time, and its process goes on
	ClaimStale   = "stale"   // the next caller has it
)

// ClaimView is one claim.
type ClaimView struct {
	Key       string     `json:"key"` // as people type it
	Kind      string     `json:"kind"`
	Of        string     `json:"of"`                 // real path of the work tree, or the repository: the name of its remote, its first commit, or a path of one host
	Directory string     `json:"directory,omitzero"` // of that repository, if the caller is in it
	State     string     `json:"state"`              // free, held, overdue or stale
	Fence     uint64     `json:"fence,omitzero"`
	Holder    string     `json:"holder,omitzero"`    // for people
	Run       string     `json:"run,omitzero"`       // handle of the run that holds it
	Program   string     `json:"program,omitzero"`   // of the session that holds the claim
	PID       int        `json:"pid,omitzero"`       // of the session that holds the claim
	Host      string     `json:"host,omitzero"`      // id, of a holder on another host
	HostName  string     `json:"host_name,omitzero"` // of that host, as it says
	Person    string     `json:"person,omitzero"`    // login name there
	StateDir  string     `json:"state_dir,omitzero"` // of the holder, if it is another: this log lacks its claims
	Mine      bool       `json:"mine,omitzero"`      // the caller holds it
	Alive     bool       `json:"alive,omitzero"`     // the run or process goes on
	Since     *time.Time `json:"since,omitzero"`
	Beat      *time.Time `json:"beat,omitzero"`  // last sign of life of the holder
	Until     *time.Time `json:"until,omitzero"` // end of the claim, without a sign of life before
	TTL       int64      `json:"ttl_s,omitzero"` // seconds
	Forced    bool       `json:"forced,omitzero"`
	Assurance string     `json:"assurance,omitzero"` // assurance of the person who forced the claim
}
