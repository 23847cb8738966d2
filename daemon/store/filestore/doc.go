// Package filestore looks after the files of the event store from outside of the
// server that writes them.
//
// The server mends what it finds: at a record that it cannot read it cuts the
// file off, and what came behind is gone without a word. So the daemon keeps a
// Mark of the last position that it acknowledged, and Check reads the files
// before the server does. What was acknowledged and is not there is an error,
// and the files stay as they are.
//
// Replay reads the records in that same pass, for a daemon that has to fold all
// of them.
//
// It promises that a store that passes Check holds every position up to the
// mark, each with a sound checksum. It never writes to the files of the server.
package filestore
