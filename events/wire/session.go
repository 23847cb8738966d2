package wire

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"autopilot/events"
)

// A chat drives a run: it asks for the next work, does it, and delivers it. The gates
// stay the daemon's.

// The bounds of texts from a chat.
const (
	MaxSubmission  = 48 << 10 // bytes of a delivery
	MostEvidence   = 50
	MaxSessionWait = time.Hour
	maxRefBytes    = 4 << 10
)

// SchemaSession is the schema of session commands.
const SchemaSession = "autopilot.session"

// SessionJoinRequest joins the run of the workspace that a chat drives, or starts one.
type SessionJoinRequest struct {
	RunRef
	Start *StartRequest `json:"start,omitzero"` // nil joins only
}

// SessionNextRequest asks for the next work.
type SessionNextRequest struct {
	RunRef
	WaitMS int64 `json:"wait_ms,omitzero"` // for work, the end, or a question
}

// SessionSubmitRequest delivers the work of an iteration. The text is JSON, a Submission,
// and is read by ReadExactly.
type SessionSubmitRequest struct {
	RunRef
	Submission string `json:"submission"`
}

// Submission is a delivery of a chat.
type Submission struct {
	V         int           `json:"v"`      // 1
	Effect    string        `json:"effect"` // all three as in the answer of next
	Phase     string        `json:"phase"`
	Iteration int           `json:"iteration"`
	Claim     string        `json:"claim"` // done, progress or blocked: never a verdict
	Summary   string        `json:"summary,omitzero"`
	Reason    string        `json:"reason,omitzero"` // why it is blocked: a question to a person
	Evidence  []EvidenceRef `json:"evidence,omitzero"`

	Session *SessionReport `json:"session,omitzero"` // outcome record, where a gate wants one
	Red     []RedRow       `json:"red,omitzero"`     // test commits that the chat saw fail
}

// EvidenceRef is evidence that a chat refers to. The daemon keeps it for people; it
// proves nothing.
type EvidenceRef struct {
	Ref    string `json:"evidence_ref"`
	Detail string `json:"detail,omitzero"`
}

// SessionAskRequest ends an iteration with a question to a person.
type SessionAskRequest struct {
	RunRef
	Ask
	Effect    string `json:"effect"`
	Phase     string `json:"phase"`
	Iteration int    `json:"iteration"`
}

// SessionAnswerRequest has the answer of the person in front of a chat, from the chat's
// dialog.
type SessionAnswerRequest struct {
	RunRef
	Number   int             `json:"number"`            // of the question, as in the answer of next
	Set      string          `json:"set,omitzero"`      // the shown set: its hash, or the start of it
	Answer   string          `json:"answer"`            // ok, no, A to D, or a text, as the question wants it
	Findings []AnswerFinding `json:"findings,omitzero"` // with no
}

// SessionView is the answer to a chat.
type SessionView struct {
	Run    RunView `json:"run"`
	Joined bool    `json:"joined"` // the caller drives the run
	// Waits names the activity of a run without work for the chat: gates, looking,
	// person, limit, deciding, halted or over.
	Waits     string        `json:"waits,omitzero"`
	MayAnswer bool          `json:"may_answer,omitzero"` // the chat may, from its own dialog
	Says      string        `json:"says"`                // the state in a sentence
	Work      *SessionWork  `json:"work,omitzero"`
	Taken     *SessionTaken `json:"taken,omitzero"` // of submit and ask
	Next      []NextCommand `json:"next"`
}

// SessionWork is the present work of the chat.
type SessionWork struct {
	Effect     string           `json:"effect"` // to be named in the delivery
	Phase      string           `json:"phase"`
	Iteration  int              `json:"iteration"`
	Attempt    int              `json:"attempt"`
	Iterations int              `json:"max_iterations"` // of the phase
	EndsBy     *time.Time       `json:"ends_by,omitzero"`
	Prompt     string           `json:"prompt"` // the whole prompt for an agent
	Findings   []SessionFinding `json:"findings"`
	Owed       []SessionOwed    `json:"owed"`
	Gates      []SessionGate    `json:"gates"`  // gates that judge the work
	Phases     []string         `json:"phases"` // later phases
}

// SessionFinding is a finding of a gate on the work before, or of a person.
type SessionFinding struct {
	Gate    string `json:"gate"` // or person
	Verdict string `json:"verdict"`
	Text    string `json:"text"` // verbatim, as far as it is quoted
}

// SessionOwed lists files that the agent must write.
type SessionOwed struct {
	Gate  string   `json:"gate"`
	Files []string `json:"files"` // globs
}

// SessionGate is a gate to come.
type SessionGate struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Role    string   `json:"role"`
	Command string   `json:"command,omitzero"`
	Says    string   `json:"says,omitzero"`  // what it wants, if it is no command
	Looks   []string `json:"looks,omitzero"` // roles that look
}

// SessionTaken is the receipt of a delivery. The same delivery again gets the same
// answer.
type SessionTaken struct {
	Effect    string `json:"effect"`
	Phase     string `json:"phase"`
	Iteration int    `json:"iteration"`
	Claim     string `json:"claim"`
	Tree      string `json:"tree"`  // as recorded
	Files     int    `json:"files"` // changed against the start of the run
}

// DriverView is the chat that drives a run.
type DriverView struct {
	Kind    string     `json:"kind"` // session
	Program string     `json:"program,omitzero"`
	PID     int        `json:"pid,omitzero"` // 0: no chat drives it now
	Since   *time.Time `json:"since,omitzero"`
	Gone    bool       `json:"gone,omitzero"`    // its process has ended
	Session string     `json:"session,omitzero"` // label from its host
}

// ParseSubmission reads a delivery by ReadExactly, and refuses missing members.
func ParseSubmission(text string) (Submission, *Error) {
	var s Submission
	if len(text) > MaxSubmission {
		return s, Errorf(Usage, "the delivery has %d bytes; the limit is %d", len(text), MaxSubmission).WithHint("write the rest into files of the work tree")
	}
	if err := ReadExactly([]byte(text), &s); err != nil {
		return s, err
	}
	return s, s.check()
}

// ReadExactly reads JSON strictly: it refuses unknown and repeated members.
func ReadExactly(b []byte, v any) *Error {
	if err := json.Unmarshal(b, v, json.RejectUnknownMembers(true)); err != nil {
		return Errorf(Usage, "the JSON cannot be read: %s", events.JSONMistake(err)).WithHint("apctl session submit --help   shows the form")
	}
	return nil
}

func (s Submission) check() *Error {
	missing := func(member string) *Error {
		return Errorf(Usage, "%s is missing", member).WithHint("apctl session next --json   names effect, phase and iteration")
	}
	switch {
	case s.V != 1:
		return Errorf(Usage, "v is %d; the only version is 1", s.V)
	case s.Effect == "":
		return missing("effect")
	case s.Phase == "":
		return missing("phase")
	case s.Iteration < 1:
		return missing("iteration")
	case !slices.Contains([]string{"done", "progress", "blocked"}, s.Claim):
		return Errorf(Usage, "claim is %.40q, want done, progress or blocked", s.Claim)
	case s.Claim == "blocked" && strings.TrimSpace(s.Reason) == "":
		return Errorf(Usage, "claim is blocked, and reason is missing").WithHint("say what a person has to decide or to do: --blocked REASON")
	case s.Claim != "blocked" && s.Reason != "":
		return Errorf(Usage, "reason is for the claim blocked only, and the claim is %s", s.Claim).WithHint("write it into the summary")
	case len(s.Evidence) > MostEvidence:
		return Errorf(Usage, "there are %d items of evidence; the limit is %d", len(s.Evidence), MostEvidence)
	}
	for i, e := range s.Evidence {
		switch {
		case strings.TrimSpace(e.Ref) == "":
			return Errorf(Usage, "evidence %d has no evidence_ref", i+1).WithHint("refer to a file, a line of it or a command: out.txt:12")
		case len(e.Ref) > maxRefBytes:
			return Errorf(Usage, "the evidence_ref of item %d of evidence has %d bytes; the limit is %d", i+1, len(e.Ref), maxRefBytes)
		}
	}
	if s.Session != nil {
		if _, err := s.Session.Event(); err != nil {
			return err
		}
	}
	if err := CheckRedRows(s.Red); err != nil {
		return err
	}
	return s.checkTexts()
}

// Report returns the outcome record, the zero value without one.
func (s Submission) Report() events.SessionReport {
	if s.Session == nil {
		return events.SessionReport{}
	}
	r, _ := s.Session.Event() // ParseSubmission has checked it
	return r
}

func (s Submission) checkTexts() *Error {
	texts := []string{s.Summary, s.Reason}
	for _, e := range s.Evidence {
		texts = append(texts, e.Ref, e.Detail)
	}
	for _, t := range texts {
		if strings.ContainsRune(t, 0) || !utf8.ValidString(t) {
			return Errorf(Usage, "a text of the delivery has a NUL byte or is not valid UTF-8")
		}
	}
	return nil
}
