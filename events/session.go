package events

// The events of a run that is driven from a chat: it does the work that an agent
// would do, and delivers it.
const (
	TypeSessionJoined = "session.joined.v1"
	TypeSessionLeft   = "session.left.v1"
)

// TypeForeignSeen is the event of somebody else at work in the work tree of a run.
const TypeForeignSeen = "foreign.seen.v1"

// ForeignSeen says that a session which has nothing to do with a run wrote to its
// work tree while it was live: the host of that session has told so, and the files
// are not as the run knew them. It halts the run before its next iteration.
type ForeignSeen struct {
	Files Ref `json:"files"`       // all of them since the run last took its work tree as it is, one a line
	Count int `json:"count"`       // of them
	By    Ref `json:"by,omitzero"` // for people
}

// Driver says who does the work of a run.
type Driver string

// The drivers.
const (
	DriverDaemon  Driver = ""        // agents that the daemon starts
	DriverSession Driver = "session" // a chat, which asks what to do next
)

// SessionJoined says which process drives the run from now on. It is told by the
// kernel, never by a label: it takes the place of one that has left or is gone.
type SessionJoined struct {
	Program Name   `json:"program,omitzero"` // of an agent that is known
	PID     int    `json:"pid"`
	Start   int64  `json:"start"`         // of that process; with PID it names one process
	Boot    string `json:"boot,omitzero"` // of the host, where that is known
}

// Same says that both are the same process.
func (d SessionJoined) Same(o SessionJoined) bool {
	return d.PID == o.PID && d.Start == o.Start && d.Boot == o.Boot
}

// SessionReport is the outcome record of a session, as who worked wrote it. Every
// number is at least 0.
//
// Source: session-orchestrator, seeds 2.9.
type SessionReport struct {
	V         int `json:"v"`        // of its form: 1; 0 is no report
	Complete  int `json:"complete"` // tasks of agents, by how they ended
	Partial   int `json:"partial"`
	Failed    int `json:"failed"`
	Spiral    int `json:"spiral"`
	Planned   int `json:"planned"`   // issues that were planned for the session
	Completed int `json:"completed"` // of them
	Carryover int `json:"carryover"` // of them, left for a later session

	ID     Ref   `json:"id,omitzero"`     // of a record in a ledger: what the session calls itself
	Tokens int64 `json:"tokens,omitzero"` // that the record counts
}

// SessionLeft says that nobody drives the run any more. It stays, and waits.
type SessionLeft struct{}

// EventType is the stored name of the type.
func (SessionJoined) EventType() string { return TypeSessionJoined }

// EventType is the stored name of the type.
func (SessionLeft) EventType() string { return TypeSessionLeft }

// EventType is the stored name of the type.
func (ForeignSeen) EventType() string { return TypeForeignSeen }
