// Package auth says who calls the daemon.
//
// An Identity comes from the connection, never from the caller's words. The kernel names
// the process at the other end of a socket; a key names its owner. Doors make the
// identity; rooms get it with each Request and decide by it. The packages below prove
// more: the caller is a person (person, pin, consent) or a chat (chat), or may use files
// of a project (trust).
package auth

import (
	"autopilot/events"
	"autopilot/events/wire"
)

// Kind is a kind of identity.
type Kind string

// The kinds. The zero Kind is no caller: the daemon refuses the connection.
const (
	KindLocal  Kind = "local"  // an unproven process of the user that no effect started
	KindEffect Kind = "effect" // a process that the daemon started, or a descendant of one
	KindKey    Kind = "key"    // an owner of a key in the configuration, on any host
	KindDaemon Kind = "daemon" // the daemon itself
)

// Identity names the caller at the other end of a connection.
type Identity struct {
	Kind   Kind
	UID    int
	PID    int    // of the process that connected
	Start  uint64 // start of that process, as proc.Process; 0 if unread
	Effect string // of KindEffect
	Name   string // the client's own name, unique among live connections
	Actor  string // the caller's name in events

	Key string     // of KindKey: the name of the identity
	May wire.Class // of KindKey: Read or Operate
}

// WithActor fills in the actor.
func (id Identity) WithActor(host string) Identity {
	switch id.Kind {
	case KindEffect:
		id.Actor = events.ActorEffect(id.Effect, host)
	case KindLocal:
		id.Actor = events.ActorLocal(id.UID, id.PID, host)
	case KindKey:
		id.Actor = events.ActorKey(id.Key, host)
	case KindDaemon:
		id.Actor = events.ActorDaemon(host)
	}
	return id
}

// Request is one call of a verb: the caller and the id of the request.
type Request struct {
	Identity
	ID            string // chosen by the client; a command's cause in the log
	ClientVersion string
}
