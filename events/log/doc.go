// Package log keeps events: it appends them, one aggregate at a time and only
// on top of what the writer has seen, and reads them back in stored order.
//
// It owns the JetStream stream AP_EVENTS_<generation>, the append condition,
// the meaning of an unclear answer, the quota with its reserve, and cursors.
// It has two forms, Stream on JetStream and Memory for tests and simulation,
// held to one conformance suite in logtest, and Check, which proves a log. A
// Witness, kept elsewhere, tells whether what is read is what was stored.
//
// Promises:
//   - An event is stored once or not at all. A nil error means that it is
//     stored, as durably as the server syncs; ErrConflict and ErrFull mean that
//     it is not; ErrUnavailable means that nobody knows, so the caller reloads.
//   - Within an aggregate sequences are 1, 2, 3 ... and each event carries the
//     hash of the one before it, whoever writes.
//   - Readers see only what is stored, in stored order, and each stored event
//     once. A rejected append is never seen.
//   - All methods may be called from many goroutines. Reads own no goroutine
//     once their loop has ended.
//
// It never decides, never changes or removes an event, never reads the time of
// an event, and never subscribes to event subjects: a plain subscriber is sent
// appends that the server then rejects.
package log
