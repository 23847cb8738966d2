// Package realtest runs the real agent programs against a provider on loopback
// and compares what is made of them with what should be. It holds tests only.
//
// The provider speaks Anthropic's Messages, OpenAI's Responses and Google's
// generateContent, plays a script (an answer, an edit, a refusal, an answer that
// is cut or that never ends) and keeps what it was asked. Tests of it run always.
//
// With -agents.real (make agents-real) the test binary installs claude, codex,
// gemini and opencode with npm into a folder of its own, plays every case with
// each of them through apshim, as the shipped profiles call them, and prints one
// table. Those that run hooks are also led through a run as a chat, by their hooks
// alone. It ends with exit code 1 if a row is not as expected. Whether a program
// may be had, and from where, is the business of npm's own configuration.
//
// Nothing is left of it: every process is ended, and all its files are in one
// folder that is removed.
package realtest
