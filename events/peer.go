package events

// The events of a peer: a session on the bus, as a chat, that lives in one
// process. Its signs of life are no events.
const (
	TypePeerJoined   = "peer.joined.v1"
	TypePeerLeft     = "peer.left.v1"
	TypePeerMessaged = "peer.messaged.v1"
	TypePeerRead     = "peer.read.v1"
)

// PeerClass says beside which others a session may work.
type PeerClass string

// The classes.
const (
	PeerExclusive  PeerClass = "exclusive"
	PeerParallelOK PeerClass = "parallel-ok"
	PeerAlwaysOK   PeerClass = "always-ok"
)

// PeerOutcome is what a session is told that is about to begin beside others.
type PeerOutcome string

// The outcomes.
const (
	PassThrough      PeerOutcome = "PASS_THROUGH"
	ExclusiveBlocked PeerOutcome = "EXCLUSIVE_BLOCKED"
	PromotionOffer   PeerOutcome = "PROMOTION_OFFER"
)

// PeerVia is how a session became known.
type PeerVia string

// The ways.
const (
	PeerByHook    PeerVia = "hook"    // its host told of it
	PeerByRun     PeerVia = "run"     // it drives one
	PeerByCommand PeerVia = "command" // it said so
)

// PeerCause is why a session is there no more.
type PeerCause string

// The causes.
const (
	PeerEnded  PeerCause = "ended"  // its host told of the end
	PeerQuit   PeerCause = "quit"   // it said so
	PeerSilent PeerCause = "silent" // no sign of life for an hour
)

// ModeNone is the mode of a session that has named none.
const ModeNone Name = "none"

// PeerJoined says that a session is on the bus, or what has changed of it. Who it
// is is told by the kernel, never by a label.
type PeerJoined struct {
	Program Name   `json:"program,omitzero"` // of an agent that is known
	PID     int    `json:"pid"`
	Start   int64  `json:"start"`         // of that process; with PID it names one process
	Boot    string `json:"boot,omitzero"` // of the host, where that is known
	Host    string `json:"host"`

	Via        PeerVia   `json:"via"`
	Repository string    `json:"repository,omitzero"` // as of ConfigTrusted; empty outside of one
	Directory  Ref       `json:"directory"`           // real path of its work tree, or of where it works
	Label      Ref       `json:"label,omitzero"`      // as its host calls it
	Mode       Name      `json:"mode"`                // what it does, none where nothing was said
	Class      PeerClass `json:"class"`               // of that mode
	Assumed    bool      `json:"assumed,omitzero"`    // the mode is not known, so the class is the most open one

	// Beside is the session because of which it was told not to begin without a
	// choice, by id. That it began nevertheless, in place, deviates from the rule.
	Outcome PeerOutcome `json:"outcome,omitzero"`
	Beside  string      `json:"beside,omitzero"`
	Reason  Ref         `json:"reason,omitzero"`
}

// PeerLeft says that a session is there no more. It may come back.
type PeerLeft struct {
	Cause PeerCause `json:"cause"`
}

// PeerMessaged says that somebody wrote to a session. It is text of a peer: it
// decides and approves nothing.
type PeerMessaged struct {
	No   int    `json:"no"`            // from 1, within the session that it is for
	From string `json:"from,omitzero"` // id of the session that wrote; empty for somebody who is none
	Text Ref    `json:"text"`
}

// PeerRead says that a session has read what was written to it.
type PeerRead struct {
	UpTo int `json:"up_to"`
}

// EventType is the stored name of the type.
func (PeerJoined) EventType() string { return TypePeerJoined }

// EventType is the stored name of the type.
func (PeerLeft) EventType() string { return TypePeerLeft }

// EventType is the stored name of the type.
func (PeerMessaged) EventType() string { return TypePeerMessaged }

// EventType is the stored name of the type.
func (PeerRead) EventType() string { return TypePeerRead }
