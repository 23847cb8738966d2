// Package ultragoal has the rules of the story ledger of oh-my-codex: a plan of stories
// (goals.json), what has become of each (ledger.jsonl), and what may change next. A rule
// takes a plan and its ledger and returns the plan and the rows that follow, or an error
// that says why nothing changes.
//
// It is a function of its arguments: no I/O, no clock. Members that it does not know are
// kept. Other than the release it is always strict: the last story needs the whole
// quality gate, a story is completed only while it is in progress, a complete one never
// fails, and a ledger that cannot be read or that does not fit its plan is refused.
//
// Source: oh-my-codex 0.21.6, ultragoal; omx section 7 of its facts.
package ultragoal
