// Package effect starts, finds again and ends the processes that the daemon
// wants run: agents, gates, notifiers.
//
// It owns one directory per effect below its root:
//
//	ID/ctl/   the records of package shim and the spools; never shown to the effect
//	ID/box/   what the effect gets and gives: prompt, result file, outbox/
//
// Each effect runs under a supervisor (cmd/apshim) that outlives the daemon, so
// an effect and its outcome survive a crash of the daemon.
//
// Promises:
//   - Run starts the program of an effect at most once, however often Run is
//     called for its id and by however many daemons, one after the other.
//   - The directory is complete and synced before the supervisor starts. A
//     recovering daemon that finds one without a claim takes the claim itself
//     and begins again in ctl.1, ctl.2 and so on; box stays where it was, so
//     the paths in the effect's environment stay true.
//   - An outcome is reported only after every process of the effect has ended
//     or is counted in Left. On macOS that covers the process group only.
//   - A process is signalled only if its pid and start time, or its own
//     environment, say that it belongs to the effect. Names are never looked at.
//   - A waiting effect costs a goroutine and a descriptor, not a thread.
//
// All methods of Runner may be called from several goroutines. It appends no
// events and decides nothing about what an outcome means.
package effect
