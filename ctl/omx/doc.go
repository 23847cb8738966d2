// Package omx keeps the files of oh-my-codex: the state of each mode, for the workspace
// or for one session, with the files beside it that its HUD and hooks read.
//
// It promises: one writer at a time for all states of a workspace, by a lock that ends
// with its process; a state is there whole or not at all, and on the disk when a write
// returns; a file that cannot be read as one JSON object is refused and left as it is.
// What a write is worth is decided in projections/omx. Nothing here needs the daemon.
//
// Source: formats of oh-my-codex 0.21.6; seeds 4.3 and 4.8.
package omx
