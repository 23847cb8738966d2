// Package gate turns a gate into a process and its outcome into a verdict, one
// file for each kind of gate.
//
// It owns the environment of gates: Pin fixes it at the start of a run, with
// the tools that the gates name, and CheckTools says at each later time what is
// no longer as it was. Pin, CheckTools and LayHome read and write files (the pinned
// HOME and the caches); Judge, Protected and all others are functions of their
// arguments. Nothing here starts a process, appends an event or stores a blob.
//
// Missing data closes a gate: what cannot be known to pass is a fail. A gate is
// unverifiable only if its program cannot be found at the start of the run, or
// its shell or directory is missing. Texts that return to an agent never say
// how a guard could be lifted.
package gate
