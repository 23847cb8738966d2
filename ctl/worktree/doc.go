// Package worktree makes work trees of git for runs and sessions, with the user's
// own git, as the user would by hand.
//
// A plan says what would be made and changes nothing. What is made lies strictly
// below its root once all links are resolved: that is checked before anything is
// written, and again when it is there. What is there already is never changed,
// and never taken away: only what was made here is. Nothing asks a network.
package worktree
