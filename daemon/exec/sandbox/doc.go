// Package sandbox decides what an effect may touch: it makes the plans that
// package confine carries out.
//
// It owns the knowledge of places: what of the daemon is hidden from whom, by
// which sockets a program could act as the user outside, and where agents and
// toolchains have to write.
//
// Promises:
//   - The state directory, the sockets and the control files of other effects
//     are hidden whatever a configuration allows.
//   - A plan depends on its arguments and on what exists now. Making one starts
//     nothing; it makes the few directories without which a hidden place could
//     appear later, or a tool could not begin.
package sandbox
