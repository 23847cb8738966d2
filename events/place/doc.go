// Package place knows where things live: the state directory, the runtime
// directory with its sockets, and the user's configuration. Daemon and clients
// ask here, so that they meet.
//
// Find computes paths from an environment that it is given; it touches nothing
// on disk. System reads the environment of this process. MakeRuntime and
// ReadLock are the only functions that touch the file system; neither of them
// ever removes anything.
package place
