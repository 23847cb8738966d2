// Package rule holds every pure rule of a run: which paths are pinned, which
// tests an output says are failing, when two failures are the same failure,
// when a rail fires, what a baseline means and what exit code an end has. The
// engine decides by them and the command line explains with them, so that both
// give the same answer.
//
// Everything here is a function of its arguments. There is no I/O, no clock
// and no state of the package; results are deterministic and safe for use from
// many goroutines. Sums and fingerprints are part of recorded history: their
// encoding is written down beside them and is never changed in place.
package rule
