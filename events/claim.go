package events

// The events of a claim: a lease on a thing that sessions and runs share. Its
// fencing token is the sequence of the event that acquired it, so each holder has
// a greater one than all before.
const (
	TypeClaimAcquired = "claim.acquired.v1"
	TypeClaimRenewed  = "claim.renewed.v1"
	TypeClaimReleased = "claim.released.v1"
	TypeClaimExpired  = "claim.expired.v1"
	TypeClaimForced   = "claim.forced.v1"
)

// ClaimKind is a kind of thing that is claimed.
type ClaimKind string

// The kinds.
const (
	ClaimWorkspace ClaimKind = "workspace" // one work tree
	ClaimBranch    ClaimKind = "branch"    // of a repository
	ClaimIssue     ClaimKind = "issue"     // of a repository
	ClaimMerge     ClaimKind = "merge"     // the slot for merges into a branch
)

// ClaimKinds are all of them, in the order in which they are shown.
func ClaimKinds() []ClaimKind {
	return []ClaimKind{ClaimWorkspace, ClaimBranch, ClaimIssue, ClaimMerge}
}

// ClaimOwner is who holds a claim. It is proven by host and run, where it is a
// run, else by host, process, start time and boot: a label proves nothing.
//
// Source: session-orchestrator, seeds 2.8.3 (owner proof).
type ClaimOwner struct {
	Host    string `json:"host"`
	Run     string `json:"run,omitzero"`     // id
	PID     int    `json:"pid,omitzero"`     // of the process that a session lives in
	Start   int64  `json:"start,omitzero"`   // its start time, as the kernel has it
	Boot    string `json:"boot,omitzero"`    // of the host
	Program Name   `json:"program,omitzero"` // if it is one that is known
}

// Same says that both are one owner. Any part of the proof that is missing, on
// either side, is no proof.
func (o ClaimOwner) Same(other ClaimOwner) bool {
	switch {
	case o.Host == "" || o.Host != other.Host || o.Run != other.Run:
		return false
	case o.Run != "":
		return true
	}
	return o.PID > 0 && o.Start > 0 && o.Boot != "" && o.PID == other.PID && o.Start == other.Start && o.Boot == other.Boot
}

// ClaimAcquired says that nobody had it, and who has it now.
type ClaimAcquired struct {
	Kind  ClaimKind  `json:"kind"`
	Key   Ref        `json:"key"` // what is claimed
	Owner ClaimOwner `json:"owner"`
	TTLMS int64      `json:"ttl_ms"` // it is fresh for so long
}

// ClaimRenewed says that its owner still holds it, and counts the time anew. It says
// again what was acquired, as the log of a team keeps only the latest events.
type ClaimRenewed struct {
	Fence   uint64     `json:"fence"`
	TTLMS   int64      `json:"ttl_ms"`
	Kind    ClaimKind  `json:"kind,omitzero"`
	Key     Ref        `json:"key,omitzero"`
	Owner   ClaimOwner `json:"owner,omitzero"`
	SinceMS int64      `json:"since_ms,omitzero"` // when the owner acquired it
}

// ClaimReleased says that its owner has given it back.
type ClaimReleased struct {
	Fence uint64 `json:"fence"`
	Left  bool   `json:"left,omitzero"` // the owner had ended, and the daemon did so for it
}

// ClaimExpired says that its owner let its time run out.
type ClaimExpired struct {
	Fence uint64 `json:"fence"`
}

// ClaimForced says that a person took it from its owner.
type ClaimForced struct {
	Fence     uint64    `json:"fence,omitzero"` // zero is a holder that this log does not know: another state directory
	Assurance Assurance `json:"assurance"`
}

// EventType is the stored name of the type.
func (ClaimAcquired) EventType() string { return TypeClaimAcquired }

// EventType is the stored name of the type.
func (ClaimRenewed) EventType() string { return TypeClaimRenewed }

// EventType is the stored name of the type.
func (ClaimReleased) EventType() string { return TypeClaimReleased }

// EventType is the stored name of the type.
func (ClaimExpired) EventType() string { return TypeClaimExpired }

// EventType is the stored name of the type.
func (ClaimForced) EventType() string { return TypeClaimForced }
