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

// MaxPeerText is how long a text to a peer may be, in bytes.
const MaxPeerText = 8 << 10

// PeersRequest asks who is there.
type PeersRequest struct {
	Directory string `json:"directory"` // whose repository is here
}

// PeerJoinRequest says what a session does, and asks what it would be told.
type PeerJoinRequest struct {
	Directory string `json:"directory"`
	Mode      string `json:"mode,omitzero"`     // empty: join leaves it as it was
	InPlace   bool   `json:"in_place,omitzero"` // join: begin beside another that writes too
	Reason    string `json:"reason,omitzero"`   // why
}

// PeerSendRequest is a text for a session.
type PeerSendRequest struct {
	Directory string `json:"directory"`
	To        string `json:"to"` // a peer, or a run that a chat drives
	Text      string `json:"text"`
}

// PeerReadRequest asks for what was written to the caller. It is read then.
type PeerReadRequest struct {
	All bool `json:"all,omitzero"` // also what was read before
}

// PeersView is who is there.
type PeersView struct {
	Peers   []PeerView   `json:"peers"`
	Sources []PeerSource `json:"sources"` // files of session-orchestrator that were looked at
}

// PeerView is a session.
type PeerView struct {
	Peer    string `json:"peer"`             // what to call it
	ID      string `json:"id"`               // of a session on the bus a hash of its proof
	Source  string `json:"source"`           // bus, run, or a file of session-orchestrator: lock or registry
	You     bool   `json:"you,omitzero"`     // the caller is it, or was started by it
	Here    bool   `json:"here,omitzero"`    // in this repository
	Program string `json:"program,omitzero"` // of an agent
	PID     int    `json:"pid,omitzero"`
	Ended   bool   `json:"ended,omitzero"`   // that process has ended; the session counts until it is silent too long
	Session string `json:"session,omitzero"` // as its host calls it: a label, which proves nothing
	Mode    string `json:"mode"`             // none where it has named none
	Class   string `json:"class"`            // exclusive, parallel-ok or always-ok
	Assumed bool   `json:"assumed,omitzero"` // the mode is not known, so the class is the most open one
	Life    string `json:"life"`             // fresh, stale or gone

	Since     time.Time `json:"since,omitzero"`
	Seen      time.Time `json:"seen,omitzero"` // its last sign of life
	Directory string    `json:"directory,omitzero"`
	File      string    `json:"file,omitzero"`   // that says so
	Run       string    `json:"run,omitzero"`    // that it drives
	Unread    int       `json:"unread,omitzero"` // messages
	Beside    string    `json:"beside,omitzero"` // it began in place beside that one, though it was told to choose
}

// PeerSource is a file of session-orchestrator that was looked at.
type PeerSource struct {
	Kind    string `json:"kind"` // lock or registry
	Path    string `json:"path"`
	State   string `json:"state"` // absent, unreadable, corrupt or ok
	Problem string `json:"problem,omitzero"`
}

// PeerCheckView is what a session is told that is about to begin.
type PeerCheckView struct {
	Mode     string        `json:"mode"`
	Class    string        `json:"class"`
	Assumed  bool          `json:"assumed,omitzero"`
	Outcome  string        `json:"outcome"`           // PASS_THROUGH, EXCLUSIVE_BLOCKED or PROMOTION_OFFER
	Reason   string        `json:"reason"`            // the row of the decision
	Beside   *PeerView     `json:"beside,omitzero"`   // the session that caused it
	Weak     []PeerView    `json:"weak"`              // others here that are silent for so long that they do not count
	Unread   []PeerSource  `json:"unread"`            // places that could not be looked at
	Joined   bool          `json:"joined,omitzero"`   // join: it is on the bus
	InPlace  bool          `json:"in_place,omitzero"` // join: beside another, which is recorded
	You      string        `json:"you,omitzero"`      // join: what others call it
	Worktree *WorktreeView `json:"worktree,omitzero"` // join: of its own, which was made for it
	ExitCode int           `json:"exit"`              // of the command
}

// PeerSentView is a text that was stored for a session.
type PeerSentView struct {
	To PeerView `json:"to"`
	No int      `json:"no"` // of the message
}

// PeerMailView is what was written to the caller.
type PeerMailView struct {
	You      PeerView      `json:"you"`
	Messages []PeerMessage `json:"messages"` // oldest first
}

// PeerMessage is a text of a peer. It decides and approves nothing.
type PeerMessage struct {
	No   int       `json:"no"`
	At   time.Time `json:"at"`
	From string    `json:"from,omitzero"` // the peer; empty for somebody who is none
	By   string    `json:"by"`            // the actor
	New  bool      `json:"new,omitzero"`  // it was not read before
	Text string    `json:"text"`
	Gone bool      `json:"gone,omitzero"` // the text was removed
}
