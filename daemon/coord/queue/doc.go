// Package queue works queues off: it begins the runs of their items, follows them, and
// lands what is done, one landing at a time for each queue.
//
// A Keeper owns the records of all queues of this daemon. What comes next is decided by
// projections/queue from the log and the state of runs; how a run begins, and how one is
// landed, is for its Work.
//
// Promises:
//   - A queue that was stored is worked off by this daemon or the next.
//   - An item has one run at a time. A request to begin it is named by the item and its
//     try, so a daemon that comes after a kill finds the run that was begun.
//   - An item that cannot begin holds up no other one.
//
// It reads no files of users, and judges no work. Its methods may be called from many
// goroutines. Run is its only loop; Close waits for what that has begun.
package queue
