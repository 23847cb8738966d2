package wire

import (
	"time"

	"autopilot/events"
)

// SummaryPart is a part of what a run went through, with its evidence:
// clarification, plan, implementation, verification, review or qa.
type SummaryPart struct {
	Part  string        `json:"part"`
	Work  []SummaryWork `json:"work,omitzero"`
	Gates []SummaryGate `json:"gates,omitzero"`
	// Absent says that the workflow has no such part. One without work and gates
	// that is not absent is what nothing was done for.
	Absent bool `json:"absent,omitzero"`
}

// SummaryWork is what was done in a phase.
type SummaryWork struct {
	Phase      string   `json:"phase"`
	Iterations int      `json:"iterations"`     // that were worked on
	Claim      string   `json:"claim,omitzero"` // of the last one: no verdict
	Files      int      `json:"files"`          // changed against the start of the run
	Tree       string   `json:"tree"`
	References []string `json:"references,omitzero"` // that a chat has named as its evidence
}

// SummaryGate is the latest that a gate said.
type SummaryGate struct {
	Gate      string      `json:"gate"`
	Kind      string      `json:"kind"`
	Phase     string      `json:"phase"`
	Iteration int         `json:"iteration,omitzero"`
	Verdict   string      `json:"verdict,omitzero"` // empty: it was never judged
	Reason    string      `json:"reason,omitzero"`
	Exit      int         `json:"exit"`          // of a command, else -1
	Used      int64       `json:"used,omitzero"` // of a session, what was compared: as in GateView
	Of        int64       `json:"of,omitzero"`
	Limit     int64       `json:"limit,omitzero"`
	Rate      events.Rate `json:"rate,omitzero"`  // as in GateView
	After     events.Rate `json:"after,omitzero"` // ditto
	Set       string      `json:"set,omitzero"`   // SHA-256 of what it is about
	By        []SummaryBy `json:"by,omitzero"`
	Baseline  bool        `json:"baseline,omitzero"` // as it was before any work, and not judged since
	Changed   bool        `json:"changed,omitzero"`  // of an approval: what was approved is not as it was any more
}

// Result is what phrase.Reason words.
func (g SummaryGate) Result() events.GateResult {
	return events.GateResult{
		Kind: events.GateKind(g.Kind), Reason: events.Reason(g.Reason), Verdict: events.Verdict(g.Verdict), Exit: g.Exit, Used: g.Used, Of: g.Of, Limit: g.Limit,
		Rate: g.Rate, After: g.After,
	}
}

// SummaryBy is who looked, or answered.
type SummaryBy struct {
	Who       string     `json:"who"`                // role, or the actor of an answer
	Says      string     `json:"says"`               // verdict or choice
	Source    string     `json:"source,omitzero"`    // session that looked
	Assurance string     `json:"assurance,omitzero"` // of an answer
	At        *time.Time `json:"at,omitzero"`
}
