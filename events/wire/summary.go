package wire

import (
	"time"

	"autopilot/events"
)

// SummaryPart is a part of a run with its evidence: clarification, plan, implementation,
// verification, review or qa.
type SummaryPart struct {
	Part  string        `json:"part"`
	Work  []SummaryWork `json:"work,omitzero"`
	Gates []SummaryGate `json:"gates,omitzero"`
	// Absent says that the workflow has no such part. A part without work and gates that
	// is not absent was skipped so far.
	Absent bool `json:"absent,omitzero"`
}

// SummaryWork is the work of a phase.
type SummaryWork struct {
	Phase      string   `json:"phase"`
	Iterations int      `json:"iterations"`     // with work
	Claim      string   `json:"claim,omitzero"` // of the last one: no verdict
	Files      int      `json:"files"`          // changed against the start of the run
	Tree       string   `json:"tree"`
	References []string `json:"references,omitzero"` // evidence that a chat named
}

// SummaryGate is the latest result of a gate.
type SummaryGate struct {
	Gate      string      `json:"gate"`
	Kind      string      `json:"kind"`
	Phase     string      `json:"phase"`
	Iteration int         `json:"iteration,omitzero"`
	Verdict   string      `json:"verdict,omitzero"` // empty: no verdict yet
	Reason    string      `json:"reason,omitzero"`
	Says      string      `json:"says,omitzero"` // Reason in words, in the language of the run
	Exit      int         `json:"exit"`          // of a command, else -1
	Used      int64       `json:"used,omitzero"` // of a session, what was compared: as in GateView
	Of        int64       `json:"of,omitzero"`
	Limit     int64       `json:"limit,omitzero"`
	Rate      events.Rate `json:"rate,omitzero"`  // as in GateView
	After     events.Rate `json:"after,omitzero"` // as in GateView
	Set       string      `json:"set,omitzero"`   // SHA-256 of the set of the gate
	By        []SummaryBy `json:"by,omitzero"`
	Baseline  bool        `json:"baseline,omitzero"` // result from before any work, the latest
	Changed   bool        `json:"changed,omitzero"`  // of an approval: the approved files have changed since
}

// SummaryBy is a role or person behind a result.
type SummaryBy struct {
	Who       string     `json:"who"`                // role, or the actor of an answer
	Says      string     `json:"says"`               // verdict or choice
	Source    string     `json:"source,omitzero"`    // session of the role
	Assurance string     `json:"assurance,omitzero"` // of an answer
	At        *time.Time `json:"at,omitzero"`
}
