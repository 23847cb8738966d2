package events

// The events of runs that have more than one phase, in which sessions of roles
// look at the work, and in which people answer.
const (
	TypePhaseEntered     = "phase.entered.v1"
	TypeRoleStarted      = "role.started.v1"
	TypeRoleEnded        = "role.ended.v1"
	TypeQuestionAsked    = "question.asked.v1"
	TypeQuestionAnswered = "question.answered.v1"
	TypeQuestionExpired  = "question.expired.v1"
	TypeAgentEscalated   = "agent.escalated.v1"
	TypeWorkPublished    = "work.published.v1"
)

// Way says how a run came into a phase.
type Way string

// The ways into a phase.
const (
	WayOn   Way = "on"   // the phase before passed
	WayBack Way = "back" // the gates of a later one did not
	WaySent Way = "sent" // a person sent the run back, with findings
)

// PhaseEntered says that a run goes on in another phase. The first one is in
// run.started. Its budget of iterations begins anew, its history does not.
type PhaseEntered struct {
	Phase     Name   `json:"phase"`
	From      Name   `json:"from"`
	Way       Way    `json:"way"`
	Cycle     int    `json:"cycle"`         // ways back so far, this one included
	Iteration int    `json:"iteration"`     // that led here
	Plan      string `json:"plan,omitzero"` // what the plan hashes to that is sent back
	Tree      Tree   `json:"tree"`          // as it is at the entry
	Work      Tree   `json:"work"`
}

// Crew is the agents that a workflow names for one role: the first one works or
// looks, and each further one after the one before did not get on.
type Crew struct {
	Role   Name   `json:"role"`
	Phases []Name `json:"phases,omitzero"` // in which it works
	Level  int    `json:"level,omitzero"`  // that begins, from 1: an earlier run about the same issue had come to it; 0 is the first
	Hands  []Hand `json:"hands,omitzero"`  // at least one; its level is its place, from 1
}

// Budget is how many iterations a phase has each time that it is entered.
type Budget struct {
	Phase      Name `json:"phase"`
	Iterations int  `json:"iterations"`
}

// Hand is one agent of a crew.
type Hand struct {
	Agent   Name   `json:"agent"`   // profile
	Account string `json:"account"` // id of the account aggregate that it works on
}

// AgentEscalated says that a rail would have halted the run, and that the next
// agent of the role goes on instead: for the rest of the run, and with a budget
// of its own. The values are those that the halt would have.
type AgentEscalated struct {
	Role       Name   `json:"role"`
	From       int    `json:"from"` // level in the crew of the role, from 1
	To         int    `json:"to"`
	Reason     Halt   `json:"reason"`
	Phase      Name   `json:"phase"` // whose rail it was
	Iteration  int    `json:"iteration"`
	Gate       Name   `json:"gate,omitzero"`
	Iterations []int  `json:"iterations,omitzero"` // that were compared and found equal
	Value      string `json:"value,omitzero"`      // the fingerprint, signature or plan that repeated
	Limit      int64  `json:"limit,omitzero"`      // that was reached
	Tree       Tree   `json:"tree"`
}

// RoleStarted announces a session of a role: somebody other than the author
// looks at what a gate is about.
type RoleStarted struct {
	Gate  Name             `json:"gate"`
	Role  Name             `json:"role"`
	Set   string           `json:"set"`            // SHA-256 of what it looks at
	Round int              `json:"round,omitzero"` // of an interview, from 1
	Agent IterationStarted `json:"agent"`
}

// RoleEnded says what a session of a role found.
type RoleEnded struct {
	Gate    Name       `json:"gate"`
	Role    Name       `json:"role"`
	Set     string     `json:"set"` // that it looked at
	Round   int        `json:"round,omitzero"`
	Void    Void       `json:"void,omitzero"` // why what it says does not count
	Opinion Opinion    `json:"opinion,omitzero"`
	Agent   AgentEnded `json:"agent"`
}

// Void says why a result of a role does not count.
type Void string

// The reasons. Missing data closes a gate.
const (
	VoidNoResult  Void = "no-result"  // it wrote none
	VoidBadResult Void = "bad-result" // not of the schema of the gate
	VoidChanged   Void = "changed"    // it changed the files that it reviewed
	VoidProgram   Void = "program"    // its program or script is not what it was at the start
	VoidStale     Void = "stale"      // the files that it reviewed are gone
	VoidNotEnded  Void = "not-ended"  // it was cut short, or failed
)

// Opinion is the result of a role: what its gate decides by. Which members count
// is a matter of the kind of gate.
type Opinion struct {
	Verdict      Ruling `json:"verdict,omitzero"`
	Architecture Ruling `json:"architecture,omitzero"` // of a review
	Findings     int    `json:"findings,omitzero"`     // that are not resolved
	Blocking     int    `json:"blocking,omitzero"`     // of them, those of priority 0
	Covered      int    `json:"covered,omitzero"`      // criteria
	Uncovered    int    `json:"uncovered,omitzero"`
	UncoveredSum string `json:"uncovered_sum,omitzero"` // SHA-256 of the ids of those, sorted, one a line
	Ambiguity    int    `json:"ambiguity,omitzero"`     // percent, computed by the daemon from the scores
	Question     Ref    `json:"question,omitzero"`      // of an interview, to a person
	Source       string `json:"source,omitzero"`        // the session, as its program named it
	List         Ref    `json:"list,omitzero"`          // findings, verbatim, for the next work
	Result       Ref    `json:"result,omitzero"`        // the file, as it was
}

// Ruling is the word of a role.
type Ruling string

// The rulings. Source: oh-my-codex, seeds 4.1.2 and 4.2.
const (
	RulingApprove Ruling = "approve"
	RulingComment Ruling = "comment"
	RulingChanges Ruling = "request-changes"
	RulingIterate Ruling = "iterate"
	RulingReject  Ruling = "reject"
	RulingPassed  Ruling = "passed"
	RulingFailed  Ruling = "failed"
	RulingClear   Ruling = "clear" // of the architecture, like the next two
	RulingWatch   Ruling = "watch"
	RulingBlock   Ruling = "block"
)

// QuestionKind says what an answer may be.
type QuestionKind string

// The kinds of questions.
const (
	AskApproval QuestionKind = "approval" // of a set: ok, or no with findings
	AskChoice   QuestionKind = "choice"   // one of two to four options
	AskText     QuestionKind = "text"     // free text
)

// QuestionAsked says that a run waits for a person.
type QuestionAsked struct {
	Number      int          `json:"number"` // 1, 2, 3 ... within the run
	Phase       Name         `json:"phase"`
	Iteration   int          `json:"iteration"`
	Gate        Name         `json:"gate,omitzero"` // empty: the agent asks, after its iteration
	Kind        QuestionKind `json:"kind"`
	Set         string       `json:"set,omitzero"`   // SHA-256 of what is shown; an answer is bound to it
	Files       Ref          `json:"files,omitzero"` // of the set: object id and path, one a line
	Tree        Tree         `json:"tree,omitzero"`  // that the set is of
	Text        Ref          `json:"text"`           // as it is asked
	Options     int          `json:"options,omitzero"`
	Recommended int          `json:"recommended,omitzero"` // from 1
	Again       bool         `json:"again,omitzero"`       // presented anew, as the set has changed or findings were worked on
	Assurance   Assurance    `json:"assurance"`            // that an answer needs at least
	ExpiresMS   int64        `json:"expires_ms,omitzero"`  // Unix milliseconds, wall clock
	Link        Ref          `json:"link,omitzero"`        // address of the draft pull request that shows the set
	Opaque      Ref          `json:"opaque,omitzero"`      // files of the set that no text can show: JSON, with kind, size and SHA-256 of each
	Handoff     bool         `json:"handoff,omitzero"`     // nobody is waited for: who started the run has handed the gate over
}

// Choice is an answer in one word.
type Choice string

// The choices. Of a question with options it is a, b, c or d.
const (
	ChoiceOK   Choice = "ok"
	ChoiceNo   Choice = "no"
	ChoiceText Choice = "text"
	ChoiceSkip Choice = "skip" // of an interview: go on without it, for a reason
)

// QuestionAnswered is the first answer of a person; it is the one that counts. One
// by hand-off is no person's: who rejects the same question later goes first.
type QuestionAnswered struct {
	Number    int       `json:"number"`
	Gate      Name      `json:"gate,omitzero"`
	Choice    Choice    `json:"choice"`
	Text      Ref       `json:"text,omitzero"`     // verbatim; of skip its reason
	Findings  Ref       `json:"findings,omitzero"` // of a rejection: JSON, one for each section
	Count     int       `json:"count,omitzero"`    // of them
	Set       string    `json:"set,omitzero"`      // that was shown
	Shown     Ref       `json:"shown,omitzero"`    // the text of the question, where all of it was shown
	Moved     HeadMove  `json:"moved,omitzero"`    // of HEAD meanwhile: it goes on from there
	Changed   Ref       `json:"changed,omitzero"`  // files that have changed since the run last saw its work tree, one a line: taken as they are
	Assurance Assurance `json:"assurance"`
	Phase     Name      `json:"phase,omitzero"` // that works on the findings, where what was accepted by hand-off is rejected later
}

// QuestionExpired says that a question is closed without an answer: nobody gave
// one in time, or what it is about has changed, and is presented anew.
type QuestionExpired struct {
	Number  int      `json:"number"`
	Changed bool     `json:"changed,omitzero"`
	Moved   HeadMove `json:"moved,omitzero"`  // of HEAD meanwhile, as of an answer
	Others  Ref      `json:"others,omitzero"` // files that have changed since the run last saw its work tree, one a line: taken as they are
}

// WorkPublished says what became of showing work that has passed where people review
// changes. Without a commit and a problem nobody wanted it.
type WorkPublished struct {
	Phase     Name   `json:"phase"`
	Iteration int    `json:"iteration"`        // that passed
	Commit    string `json:"commit,omitzero"`  // that is on the branch of the run there
	Link      Ref    `json:"link,omitzero"`    // address of the draft pull request
	Problem   Ref    `json:"problem,omitzero"` // what could not be done
	// Ready says that the run was handed off and passed: the record that a merge
	// coordinator goes by. Source: atdd-kit, seeds 3.9.2, its label merge-ready.
	Ready bool `json:"merge_ready,omitzero"`
	// Landing is of a landing run: what became of its target.
	Landing LandState `json:"landing,omitzero"`
}

// EventType is the stored name of the type.
func (WorkPublished) EventType() string { return TypeWorkPublished }

// EventType is the stored name of the type.
func (PhaseEntered) EventType() string { return TypePhaseEntered }

// EventType is the stored name of the type.
func (AgentEscalated) EventType() string { return TypeAgentEscalated }

// EventType is the stored name of the type.
func (RoleStarted) EventType() string { return TypeRoleStarted }

// EventType is the stored name of the type.
func (RoleEnded) EventType() string { return TypeRoleEnded }

// EventType is the stored name of the type.
func (QuestionAsked) EventType() string { return TypeQuestionAsked }

// EventType is the stored name of the type.
func (QuestionAnswered) EventType() string { return TypeQuestionAnswered }

// EventType is the stored name of the type.
func (QuestionExpired) EventType() string { return TypeQuestionExpired }
