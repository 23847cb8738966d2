package wire

import "time"

// People answer what a run asks them.

// The verbs of questions. Who asks for one is about to answer it, so no effect is
// shown it: what an effect may know of it is in the run.
var (
	RunQuestion = Verb{Name: "run.question", Class: Operate}
	RunAnswer   = Verb{Name: "run.answer", Class: Decide}
)

// Bounds of an answer.
const (
	MostFindings = 50
	MaxAnswer    = 16 << 10 // bytes of a text, and of each finding
)

// QuestionRequest asks for the question that a run waits with.
type QuestionRequest struct {
	RunRef
	Whole bool   `json:"whole,omitzero"` // its text is not cut
	Gate  string `json:"gate,omitzero"`  // that was accepted by hand-off; empty is what waits, else the latest such gate
}

// QuestionView is a question that waits for a person.
type QuestionView struct {
	Number      int        `json:"number"` // 1, 2, 3 ... within the run
	Gate        string     `json:"gate"`   // empty: who works asks
	Phase       string     `json:"phase"`
	Kind        string     `json:"kind"`           // approval, choice or text
	Text        string     `json:"text"`           // as it is asked
	Cut         int        `json:"cut,omitzero"`   // bytes of the text that are left out
	Set         string     `json:"set,omitzero"`   // SHA-256 of what is shown; an answer is bound to it
	Files       []string   `json:"files,omitzero"` // of the set, at most 200
	More        int        `json:"files_more,omitzero"`
	Options     int        `json:"options,omitzero"`     // of a choice: a, b, c, d
	Recommended int        `json:"recommended,omitzero"` // of them, from 1
	Again       bool       `json:"again,omitzero"`       // it was asked before
	Assurance   string     `json:"assurance"`            // that an answer needs at least
	PIN         bool       `json:"pin,omitzero"`         // is asked for, instead of what is shown
	Since       time.Time  `json:"since"`
	Expires     *time.Time `json:"expires,omitzero"`
	Link        string     `json:"link,omitzero"`    // address of the draft pull request that shows the set
	Handoff     bool       `json:"handoff,omitzero"` // it was accepted by hand-off and waits for nobody; it can be rejected
}

// AnswerRequest answers a question.
type AnswerRequest struct {
	RunRef
	Number   int             `json:"number,omitzero"` // of the question; 0 is the one that waits
	Choice   string          `json:"choice"`          // ok, no, text, skip, or a to d
	Text     string          `json:"text,omitzero"`   // of the choice text; of skip the reason
	Findings []AnswerFinding `json:"findings,omitzero"`
	Set      string          `json:"set,omitzero"`   // that was shown
	Typed    string          `json:"typed,omitzero"` // at the terminal: the start of the set's hash, else the handle
	PIN      string          `json:"pin,omitzero"`   // instead of that, where one is set
}

// AnswerFinding is what is wrong with a section. It goes to who works on it next
// as it is.
type AnswerFinding struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Priority int    `json:"priority,omitzero"` // 0 blocks, as does none
}
