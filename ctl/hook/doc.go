// Package hook knows the hooks of host programs: what Claude Code, Codex and
// Gemini CLI send of a chat, in which form they want an answer, and how their
// settings are edited.
//
// Reading is strict about what it needs and blind to all else, as hosts add
// members at any time: what cannot be read is no event. It holds at most MaxInput
// in memory.
//
// Settings are edited as text: comments, order and indentation of what is not
// ours stay as they are, to the byte. It writes no file and asks nobody.
package hook
