// Package daemon puts the parts together: it opens the state directory, folds
// every run from the log, serves live runs and commands, and closes in the
// reverse order.
//
// It owns all long-lived goroutines but those of the bus, of notify and of the actors
// of the fleet, which it opens and closes. One daemon serves one state directory, held
// by a lock. When it dies, effects live on under their supervisors; the next daemon
// finds them by the ids in the log.
//
// What it knows is below it, a package for each subject, which asks others through
// interfaces of its own:
//
//   - a run: engine (what is next), fleet (all of them), work (what is done), gate,
//     agent, effect and sandbox (processes), workflow, tree (of files), cache and installed
//     (what gates load beside it), session (driven by a chat);
//   - what is kept: journal (who writes events), store, snapshot, archive, blob, disk,
//     durable, roll (a new log), removal, transfer (to others), prove and offline;
//   - who works here: peer, chat, hook, claim, worktree, atwork;
//   - who may: person, pin, consent, trust;
//   - what there is of things: machine, sched, account, budget;
//   - what people read: notify, draft, retro, doctor.
//
// handle_*.go here are the verbs that are about a run, and handle.go is the table of all.
package daemon
