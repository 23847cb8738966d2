// Package machine is what the host can bear, and who may begin an agent on it: its
// readings, the verdicts on them, and the line of those that wait.
//
// Promises:
//   - No more agents are at work than the latest reading, the bounds that people set
//     and the project leave room for. An attempt that was lost is repeated at once.
//   - One that has just begun is expected to need the memory of one more, as long as
//     no reading can show it: no start makes room for the next.
//   - A slot is held from when it is granted until its agent is at work, its run waits
//     for something else, or it is not used; who was told to wait keeps its age.
//   - Who waits is read from the runs' own records again and again, so that no place
//     in line is lost by a crash, and none is kept by a run that wants it no more.
//   - A verdict that has changed is stored with the host before any run is told.
//   - Note never blocks, and a run that does not answer holds up the line for ten
//     seconds at most.
//
// It starts no goroutine, but has Config.Go tell the runs that wait. The order of the
// line is a matter of daemon/host/sched, the verdict one of probe/judge, and how many an
// account takes at once one of daemon/host/account.
package machine
