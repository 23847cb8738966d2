package wire

import "time"

// WhySettled is the event that made a run what it is.
type WhySettled struct {
	Seq  uint64    `json:"seq"`
	Type string    `json:"type"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitzero"` // actor
}

// WhyTried is what was done about a run before: a resume with its note, a wait,
// an attempt that did not count.
type WhyTried struct {
	Seq       uint64    `json:"seq"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"` // resumed, waited, lifted, attempt, escalated
	Iteration int       `json:"iteration,omitzero"`
	Line      string    `json:"line"` // what it was, one line for people
	By        string    `json:"by,omitzero"`
	Note      string    `json:"note,omitzero"` // of a person
}

// WhyLeft is one limit of a run: what of it is used, and what is left.
type WhyLeft struct {
	Kind    string `json:"kind"` // iterations, hours, until, cost, tokens or turns
	Limit   int64  `json:"limit"`
	Used    int64  `json:"used"`
	Left    int64  `json:"left"`             // iterations, milliseconds, millionths of a dollar, tokens or turns
	Unknown bool   `json:"unknown,omitzero"` // an agent did not tell what it used
}
