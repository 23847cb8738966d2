// Package daemon opens the state directory, folds every run from the log, serves live
// runs and commands, and closes in the reverse order.
//
// It wires the rooms below it and decides nothing. It owns all long-lived goroutines
// except those of the bus, of notify and of the fleet's actors; it opens and closes
// these. One daemon serves one state directory under a lock. When it dies, effects live
// on under their supervisors. The next daemon finds them by the ids in the log.
//
// The rooms, from the ground up; an import leads down only (deps_test.go):
//
//   - store: files of the state directory: blobs, snapshots, archive, and who writes events.
//   - exec: processes: effect, its supervisor (shim), confinement, output, redaction.
//   - agent: programs of agents: profiles, readers of their streams, outcomes, prices.
//   - auth: who calls: identity, person, PIN, consent, chat.
//   - repo: git: recorded trees, and what a project is made of.
//   - report: what people are sent and read: notify, drafts, retro pages.
//   - transport: the doors. They know verbs and callers, and no run.
//   - run: engine (what comes next), work (an iteration), gate, workflow, fleet (all runs).
//   - config: settings of user and project, and which of them are trusted.
//   - host: the machine and its line, accounts, budgets, doctor.
//   - coord: other sessions: peers, claims, teams, hooks, work trees, chats that drive a run, queues.
//   - history: what is over: roll, removal, transfer, proof, work without a daemon.
//   - api: what each verb says. It composes the rooms into views of events/wire.
package daemon
