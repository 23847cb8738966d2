// Package omx holds the rules of oh-my-codex's strict loop: the state of a mode as a
// JSON object, how a write changes it, which evidence each transition needs, and when
// the loop ends. It works on values that are handed to it; nothing here opens a file,
// reads the clock or asks the environment.
//
// Where the release and the contract of the loop disagree, the contract wins (Strict):
// a write that lacks evidence is refused, and the state stays as it was. Advisory does
// what the release does: the write succeeds and names the gate that it skipped.
//
// Members that are not known here are kept in their order, with their exact text. The
// member "apctl" is this program's own; a caller cannot write it.
//
// Source: oh-my-codex, seeds 4.1, 4.3, 4.8; formats of oh-my-codex 0.21.6.
package omx
