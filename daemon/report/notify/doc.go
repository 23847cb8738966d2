// Package notify tells a person what became of runs, in the ways that the
// user's settings name: a command, a webhook, the desktop.
//
// It owns one file per rule below its directory, which holds what that rule has
// yet to tell.
//
// Promises:
//   - What is due is stored, and synced, before Add returns, and told at least
//     once: a daemon that is killed before it has told does so after its next
//     start. The key of a message stays the same over retries and restarts.
//   - Nothing here holds up a run: Add does not wait for anybody who is told,
//     and what waits is bounded.
//   - Many notices within a short time are told as one digest, and what falls
//     into the quiet time is told at its end.
//   - A command is an effect under a supervisor. It gets ten seconds, and then
//     its whole process tree is ended.
//   - Nothing is sent to any place but those that the settings name.
//
// The bell of a terminal is no way of its own: who follows a run rings it, when
// the daemon says that a rule wants it.
package notify
