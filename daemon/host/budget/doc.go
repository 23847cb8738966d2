// Package budget owns the limits of a calendar day: what may be spent, what is,
// and who was warned.
//
// Limits of a day count over runs. What was stored is a fold of the runs' own
// logs; what agents at work use beside it is known as they tell it, and is gone
// with the process.
//
// Promises:
//   - A file of settings that cannot be read lifts no limit.
//   - Agents that work at once pass a limit by what each tells last, at most. Hours
//     are given once.
//   - Most of a limit is told of once: also over a restart of the daemon.
//   - A day is that of the host's time zone as it is now.
//
// It appends nothing: what it has to say of a run is an event for who asked, or a
// command to the run. What an account or the machine lets begin is said elsewhere.
package budget
