package wire

import "time"

// Sessions on the bus see each other, and write to each other.

// The schemas of the answers of peer commands.
const (
	SchemaPeers     = "autopilot.peers"
	SchemaPeerCheck = "autopilot.peer.check"
	SchemaPeerMail  = "autopilot.peer.mail"
	SchemaPeerSent  = "autopilot.peer.sent"
)

// MaxPeerText bounds a text to a peer, in bytes.
const MaxPeerText = 8 << 10

// PeersRequest asks for the sessions.
type PeersRequest struct {
	Directory string `json:"directory"` // a directory in the repository of interest
}

// PeerJoinRequest announces the mode of a session, or asks what an announcement would
// answer.
type PeerJoinRequest struct {
	Directory string `json:"directory"`
	Mode      string `json:"mode,omitzero"`     // empty: join leaves it as it was
	InPlace   bool   `json:"in_place,omitzero"` // join: begin beside another writer
	Reason    string `json:"reason,omitzero"`   // why
}

// PeerSendRequest is a text for a session.
type PeerSendRequest struct {
	Directory string `json:"directory"`
	To        string `json:"to"` // a peer, or a run with a driving chat
	Text      string `json:"text"`
}

// PeerReadRequest asks for the texts to the caller, and marks them read.
type PeerReadRequest struct {
	All bool `json:"all,omitzero"` // also texts read before
}

// PeersView lists the sessions.
type PeersView struct {
	Peers   []PeerView   `json:"peers"`
	Sources []PeerSource `json:"sources"` // files of session-orchestrator that were read
}

// PeerView is a session.
type PeerView struct {
	Peer    string `json:"peer"`             // name of the session for people
	ID      string `json:"id"`               // of a session on the bus: a hash of its proof
	Source  string `json:"source"`           // bus, run, or a file of session-orchestrator: lock or registry
	You     bool   `json:"you,omitzero"`     // the caller, or a session that started it
	Here    bool   `json:"here,omitzero"`    // in this repository
	Program string `json:"program,omitzero"` // of an agent
	PID     int    `json:"pid,omitzero"`
	Ended   bool   `json:"ended,omitzero"`   // that process has ended; the session counts until it is silent too long
	Session string `json:"session,omitzero"` // label from its host, which proves nothing
	Mode    string `json:"mode"`             // none if unnamed
	Class   string `json:"class"`            // exclusive, parallel-ok or always-ok
	Assumed bool   `json:"assumed,omitzero"` // the mode is unknown, so the class is the most open one
	Life    string `json:"life"`             // fresh, stale or gone

	Since     time.Time `json:"since,omitzero"`
	Seen      time.Time `json:"seen,omitzero"` // its last sign of life
	Directory string    `json:"directory,omitzero"`
	File      string    `json:"file,omitzero"`   // source of the entry
	Run       string    `json:"run,omitzero"`    // run that it drives
	Unread    int       `json:"unread,omitzero"` // messages
	Beside    string    `json:"beside,omitzero"` // the session that it began beside, in place, against advice
}

// PeerSource is a file of session-orchestrator that was read.
type PeerSource struct {
	Kind    string `json:"kind"` // lock or registry
	Path    string `json:"path"`
	State   string `json:"state"` // absent, unreadable, corrupt or ok
	Problem string `json:"problem,omitzero"`
}

// PeerCheckView is the answer for a session that is about to begin.
type PeerCheckView struct {
	Mode     string        `json:"mode"`
	Class    string        `json:"class"`
	Assumed  bool          `json:"assumed,omitzero"`
	Outcome  string        `json:"outcome"`           // PASS_THROUGH, EXCLUSIVE_BLOCKED or PROMOTION_OFFER
	Reason   string        `json:"reason"`            // the row of the decision
	Beside   *PeerView     `json:"beside,omitzero"`   // the session that caused it
	Weak     []PeerView    `json:"weak"`              // other sessions here, silent for too long to count
	Unread   []PeerSource  `json:"unread"`            // sources that could not be read
	Joined   bool          `json:"joined,omitzero"`   // join: it is on the bus
	InPlace  bool          `json:"in_place,omitzero"` // join: beside another, on record
	You      string        `json:"you,omitzero"`      // join: name of the caller for others
	Worktree *WorktreeView `json:"worktree,omitzero"` // join: a new work tree of its own
	ExitCode int           `json:"exit"`              // of the command
}

// PeerSentView is the receipt of a text for a session.
type PeerSentView struct {
	To PeerView `json:"to"`
	No int      `json:"no"` // of the message
}

// PeerMailView lists the texts to the caller.
type PeerMailView struct {
	You      PeerView      `json:"you"`
	Messages []PeerMessage `json:"messages"` // oldest first
}

// PeerMessage is a text of a peer. It decides and approves nothing.
type PeerMessage struct {
	No   int       `json:"no"`
	At   time.Time `json:"at"`
	From string    `json:"from,omitzero"` // the peer; empty if the sender is none
	By   string    `json:"by"`            // the actor
	New  bool      `json:"new,omitzero"`  // not read before
	Text string    `json:"text"`
	Gone bool      `json:"gone,omitzero"` // the text was removed
}
