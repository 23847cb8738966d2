// Package orchestrator holds the rules of session-orchestrator: when a row of sessions
// ends, what it does next, beside whom it may work, and what its ledgers say.
//
// Every rule is a pure function of what it is given, total and deterministic. What a
// record lacks is unknown, and each rule says what it does then. Nothing here reads a
// file or a clock; daemon and apctl use the same functions.
//
// Source: session-orchestrator, seeds 2.1 to 2.4, 2.8 and 2.9.
package orchestrator
