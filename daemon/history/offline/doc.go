// Package offline works on a store that no daemon has open: one that a daemon
// refuses, too. It proves it, seals it anew where mark or seals are lost, and
// writes what can be read of its history into a bundle.
//
// It takes the lock of the state directory, so no daemon starts meanwhile, and
// starts no process. It reads the files of the store and never changes them; only
// sealing writes, beside them, and only once all else is proven. A store in which a
// roll was cut off is left to the next daemon.
//
// Verify and what VerifyMain prints say the same as a daemon that is asked would,
// as far as that can be told without live states. What ExportMain leaves out or
// cannot read it says, and answers with an exit code.
package offline
