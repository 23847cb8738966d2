// Package engine decides what a run does next.
//
// It is three pure functions and one actor. Evolve (projections/run) folds an
// event into a state; Decide answers a command with at most one event; Next
// reads an ordered table of rules and names the one thing to do now. The actor
// owns the state and all appends of one run: it asks Next, has a Worker do
// what cannot be computed, and appends the one event that comes of it. So each
// prefix of a log is a state from which the run goes on to the same end.
//
// Nothing here reads a clock, the environment or the disk, and no decision
// rests on a live reading: what matters is in the log first. What differs
// between workflows is data.
package engine
