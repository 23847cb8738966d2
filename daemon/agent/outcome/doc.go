// Package outcome decides how an agent's process ended, from everything that is
// known of it: what its supervisor saw, what its stream said, its exit code,
// and last of all what it printed.
//
// The outcome is of one closed list. The signals are trusted in a fixed order,
// a signal that disagrees with the decision is kept beside it as a conflict, and
// nothing that an agent says makes its work done: the best outcome is Ended.
//
// Wordings of programs are data: patterns.yaml, each with its program, a date
// and samples. They are asked only about a failure, or where no work was done,
// so that an agent may write about rate limits.
//
// Everything here is pure and safe to use at once.
//
// Source: Agent programs, C.1 to C.7; Field reports, B.2.
package outcome
