// Package consent says who decides, and how sure that is.
//
// A Judge owns the one place where a decision of a person is proven: that the request
// comes from a person at a terminal (package person), and that they gave what the
// decision asks for, which is the PIN (package pin) where one is set, and else what
// was typed of what was shown. The verbs about the PIN are here too.
//
// Promises:
//   - Where a PIN is set nothing is decided without it, whatever was typed.
//   - Where it cannot be told whether one is set nothing is decided.
//   - The assurance that it answers is what was given, and never more.
//
// It stores no decision and knows of none: who asks does what was decided, and records
// it with the assurance. All of a Judge may be used from many goroutines.
package consent
