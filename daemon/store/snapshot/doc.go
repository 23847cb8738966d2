// Package snapshot keeps the folded states of runs in a file, so that a daemon
// which starts reads only what was stored since.
//
// The log is the truth and a snapshot is a memory of it. A file that is cut or
// changed, was made by another fold, belongs to another event store or speaks of
// a place that the log does not have is dropped and never believed: the log is
// read again. Fold proves the last point, with the log's own cursors and with
// the hash that the first event behind the snapshot carries.
//
// It promises that a file is there whole or as it was before (temporary file,
// fsync, rename, fsync of the directory), and that opening one costs its index
// only: a state is read, and proven by its checksum, when it is asked for. A
// Snapshot may be used from many goroutines, a Fold from one. It starts no
// goroutine.
package snapshot
