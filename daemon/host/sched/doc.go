// Package sched says which agent may begin, over all runs of a host.
//
// A Line is plain data under its owner's lock: no clock, no goroutine. Whoever
// wants to start an agent asks; it is granted a slot now, or stands in line. A
// slot that was granted is held until its agent is at work, which the owner says;
// one that is not used falls back after Hold, or Prepare. Who is at work is told
// with every call, from the states of the runs, and who waits by its own record is
// put back with Put, so that nothing here can be lost by a crash.
//
// Who has waited longest comes first, priority before that, and waiting raises
// it, so nobody starves. Runs begin one after another, Stagger apart, so that each
// is seen by what measures the machine and none of them all at once by a provider
// (field reports B.4, 67 and 68). How many an account takes at once is a matter of
// daemon/host/account.
package sched
