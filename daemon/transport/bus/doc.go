// Package bus is how the daemon is spoken to: the embedded NATS server, the
// unix sockets, who each connection is, and the verbs.
//
// It owns the lock on the state directory, the server (which opens no port),
// the bridge to it from sockets and, where that is configured, from a TCP port,
// and the goroutines that run handlers.
//
// Promises:
//   - Identity comes from the kernel, from the socket or, over the network, from
//     the key that a client proves to have; never from what it says. It is
//     decided once for a connection and reaches the handler.
//   - A client publishes only its own commands and reads only its own inbox. A
//     reply goes nowhere but into the inbox of the client that asked.
//   - A handler runs on its own goroutine. A slow one, or a client that does
//     not read, delays nobody else; what waits for a client is bounded.
//   - A handler's context ends as soon as its client is gone.
//   - Close ends everything that Open and Serve began, in the reverse order.
//
// It never reads or writes an event, and never decides what a verb does.
package bus
