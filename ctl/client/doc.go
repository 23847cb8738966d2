// Package client speaks to the daemon for programs: typed calls, streams with
// credit, and starting the daemon when none runs.
//
// A Client is one connection with one random name. It is never reconnected: a
// lost connection is an error with the code unreachable, and the caller decides
// whether to ask again or to go on from its last position. All methods may be
// used from several goroutines.
//
// Errors that come from the daemon, and all others that a user should see with
// an exit code of its own, are *wire.Error. The package starts no goroutine that
// outlives Close, except one that waits for a daemon that it has started. It
// links no server and reads no file but the lock of the state directory.
package client
