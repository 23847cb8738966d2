// Package atdd reads and writes the audit log of atdd-kit's autopilot, and holds
// its rails: what halts a loop whose history is rows of JSON in a file. All of it
// works on bytes that are handed to it; nothing here opens a file or asks git.
//
// It follows lib/autopilot_convergence.sh row by row, with these differences, each
// of which the original's own reviews ask for: a blank payload has no fingerprint
// (Q24), a window has to be 2 or more (Q25), findings have to be a list of findings
// (Q26), a verdict is PASS or FAIL and a step has a name (Q27), and rows are read as
// JSON with typed members instead of by their text (Q28).
//
// Source: atdd-kit, seeds 3.5 and 8.
package atdd
