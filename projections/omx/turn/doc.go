// Package turn says what a hook of a chat answers: where a prompt goes, that a chat goes
// on while a gate of its autopilot is open, and what a chat finds when it begins.
//
// It is a function of its arguments: no I/O, no clock. It never answers a permission or a
// question of a person, starts nothing, and tells an agent no way around a gate.
//
// Source: oh-my-codex 0.21.6, hooks; seeds 4.1 and 4.4 (quirk Q43: its nudges answer
// permissions, which is not taken over).
package turn
