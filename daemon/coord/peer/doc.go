// Package peer keeps the sessions that work on this host beside each other: those on
// the bus, and those that only files tell of.
//
// It owns the events of the sessions on the bus, their signs of life, their mail, and
// what a session is told that begins beside others. Who a session is is proven by the
// process that its chat lives in. What it says, and what was written to it, is in the
// log; its signs of life are known of this daemon's life only. That a session may
// begin, and that it has begun, is one step. A text is answered once for one request,
// however often that is repeated. All of it may be used from many goroutines.
//
// It never writes a file of session-orchestrator, ends no process, and takes nothing
// that a session writes to another for an instruction: a message decides nothing.
package peer
