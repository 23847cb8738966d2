// Package goals keeps the files of an ultragoal plan: .omx/ultragoal/goals.json,
// ledger.jsonl and brief.md below a working directory. What may change is decided by
// projections/omx/ultragoal.
//
// One writer at a time: writers of this program take turns by flock on the directory,
// and each holds .mutation.lock as the release does, so that its writers wait too. A lock
// whose process is gone holds nobody; one that cannot be read does.
//
// A change is never half: it is written down whole in .change.json, then the rows of the
// ledger are appended and synced, then goals.json is replaced, then the note is removed.
// The next writer or reader carries a change out that was cut off.
//
// Source: oh-my-codex 0.21.6, ultragoal.
package goals
