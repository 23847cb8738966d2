// Package claim keeps who has which claim: on a work tree, a branch, an issue or the
// place where branches are merged.
//
// A Keeper owns the records of the claims of its host and, for those of work trees,
// the marks beside the files that every daemon of this machine sees. It renews what
// runs hold that go on, gives back what they leave, and ends what nobody is behind
// any more. A Service answers the verbs about claims, and says who holds them.
//
// Promises:
//   - Two keys that differ have two ids, and an empty name is no key.
//   - Of two that take a claim at once one has it, also of two daemons of a team: the
//     log decides, and what cannot be stored is held by nobody.
//   - Nothing is taken from who is live, and nothing of another host before its time
//     is over, unless a person decides so; and from a run that is live not even then.
//   - A mark is held by one process at a time, by flock: the kernel lets go of it
//     when the process ends. What the process wrote there stays, and says who
//     comes back for it.
//   - A file that is no plain file of its own, as one that something in the work
//     tree put there, is not written to.
//
// It never starts or stops a run, waits for none, and starts no goroutine.
package claim
