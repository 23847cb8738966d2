// Package shim is the supervisor of one effect, and the records that it and
// the daemon leave for each other.
//
// It owns a control directory: the spec that the daemon wrote, the claim that
// decides who may start the effect, the lock that says that a supervisor
// lives, the spools of the output and the exit record.
//
// Promises:
//   - An effect is started at most once for a control directory. Whoever makes
//     the claim file first decides: a supervisor with "started", a recovering
//     daemon with "abandoned".
//   - The lock is held from before the claim until after the exit record, and
//     no process of the effect inherits it.
//   - The exit record appears whole or not at all, and only after every process
//     of the effect has ended or is counted as left.
//   - The supervisor needs memory in proportion to nothing that the effect does.
//   - The idle limit ends what shows no sign of life: no output, no CPU time of
//     the tree, no change of the files that the spec names. It needs no daemon,
//     and the sleep of the host does not count. What falls silent ends an eighth
//     of the limit after it at the latest. An open connection is no sign.
//
// With proc, spool and durable it imports the standard library and golang.org/x/sys
// only, as every agent and gate has one of these beside it for as long as it
// lives: it must be small and start in about a millisecond.
//
// On Linux the supervisor is a subreaper, so that children that leave their
// session and their parent come back to it. Where it may make one, the effect
// also has a control group, below that of the supervisor: by that they are
// found when the supervisor was killed, too, and ended all at once. It sets no
// limits. On macOS there is no such thing: there the supervisor ends the process
// group of the effect, what left the group survives, and the CPU time of what
// still runs is not seen.
package shim
