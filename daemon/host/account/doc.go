// Package account keeps the calendar of limits: it owns all account aggregates,
// learns from the ends of agents what providers say, and says when an agent of
// a run may begin.
//
// Promises:
//   - Each agent is learned from once, also when the daemon dies between the
//     event of its run and that of the account.
//   - What an agent meets counts for the account that it worked on, and holds
//     back those agents alone that work there: one run may work on several.
//   - No more agents of an account work at once than it takes, and those that
//     wait go in the order of age of their runs.
//   - A run that waits is let go when its time comes, when the account has worked
//     again, or when a slot is free. All of that is looked at anew and not
//     remembered, so nothing that is missed is missed for long.
//   - When an account lets nobody in, every run of it that is between two agents
//     is told so.
//   - Records are in this daemon's own log, or in a team's. What is learned while the
//     team is out of reach counts here at once, and is stored there later.
//   - Note never blocks. Nothing here waits for a run while it holds a lock.
//
// Ends of limits are wall clock, looked at anew at least every 30 seconds. Ends
// that were guessed are lengths of time as well, so that a clock that is put back
// makes nobody wait longer.
package account
