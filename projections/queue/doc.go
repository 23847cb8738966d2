// Package queue folds the events of a queue, and has the rules that follow from them:
// which item is next, what waits for what, and what is landed.
//
// All of it is pure: time and the state of runs enter as arguments, so the same log and
// the same sight lead to the same step. A State is never changed after it was returned.
//
// Source: session-orchestrator, seeds 2.5 and 2.6; atdd-kit, seeds 3.9; seeds 8, Q8 to Q12,
// Q29, Q35.
package queue
