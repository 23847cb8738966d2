package wire

import "time"

// WhySettled is the event that brought a run into its state.
type WhySettled struct {
	Seq  uint64    `json:"seq"`
	Type string    `json:"type"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitzero"` // actor
}

// WhyTried is an earlier remedy for a run: a resume with its note, a wait, or an attempt
// that did not count.
type WhyTried struct {
	Seq       uint64    `json:"seq"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"` // resumed, waited, lifted, attempt, escalated
	Iteration int       `json:"iteration,omitzero"`
	Line      string    `json:"line"` // what happened, one line for people
	By        string    `json:"by,omitzero"`
	Note      string    `json:"note,omitzero"` // of a person
}

// WhyLeft is one limit of a run, with the used and the remaining part.
type WhyLeft struct {
	Kind    string `json:"kind"` // iterations, hours, until, cost, tokens or turns
	Limit   int64  `json:"limit"`
	Used    int64  `json:"used"`
	Left    int64  `json:"left"`             // iterations, milliseconds, millionths of a dollar, tokens or turns
	Unknown bool   `json:"unknown,omitzero"` // an agent did not report its usage
}
