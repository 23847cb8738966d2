// Package claim has what claims are about and, for those of work trees, the mark
// beside the files that every daemon of this machine sees.
//
// Promises:
//   - Two keys that differ have two ids, and an empty name is no key.
//   - A mark is held by one process at a time, by flock: the kernel lets go of it
//     when the process ends. What the process wrote there stays, and says who
//     comes back for it.
//   - A file that is no plain file of its own, as one that something in the work
//     tree put there, is not written to.
//
// It knows nothing of events; those are for the daemon.
package claim
