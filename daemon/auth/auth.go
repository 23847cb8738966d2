// Package auth says who calls the daemon.
//
// An Identity comes from the connection, never from what the caller says: the kernel
// names the process at the other end of a socket, and a key names who has it. Doors make
// it, rooms are given it with each Request, and decide by it. The packages below prove
// more of a caller: that it is a person (person, pin, consent), a chat (chat), or may
// use what a project has written (trust).
package auth

import (
	"autopilot/events"
	"autopilot/events/wire"
)

// Kind is a kind of identity.
type Kind string

// The kinds. The zero Kind is nobody: such a connection is refused.
const (
	KindLocal  Kind = "local"  // a process of the user that no effect started; unproven
	KindEffect Kind = "effect" // a process that the daemon started, or a descendant of one
	KindKey    Kind = "key"    // whoever has the key of an identity of the configuration; on any host
	KindDaemon Kind = "daemon" // the daemon itself
)

// Identity says who is at the other end of a connection.
type Identity struct {
	Kind   Kind
	UID    int
	PID    int    // of the process that connected
	Start  uint64 // of that process, as proc.Process; 0 where it was not read
	Effect string // of KindEffect
	Name   string // the client's own name, unique among live connections
	Actor  string // as it is written into events

	Key string     // of KindKey: what the identity is called
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

// Request is one call of a verb: who calls, and under which id.
type Request struct {
	Identity
	ID            string // chosen by the client; a command's cause in the log
	ClientVersion string
}
