package wire

import "time"

// SchemaRetro is the schema of retro.
const SchemaRetro = "autopilot.retro"

// The formats of a retro.
const (
	RetroJSON     = "json" // a RetroView, without an envelope
	RetroHTML     = "html"
	RetroMarkdown = "md"
)

// RetroRequest asks for a retro of one run or, with Since, of all runs with an event
// since then.
type RetroRequest struct {
	RunRef
	Since  time.Time `json:"since,omitzero"`
	Here   bool      `json:"here,omitzero"`   // with Since: only runs of the caller's workspace
	Format string    `json:"format,omitzero"` // json, html or md; empty is json
	Zone   string    `json:"zone,omitzero"`   // IANA name, for times and days; empty is the daemon's zone
}

// RetroView is a retro: of one run, or of many.
type RetroView struct {
	Made time.Time   `json:"made"`
	Zone string      `json:"zone"` // of days
	Run  *RetroRun   `json:"run,omitzero"`
	Many *RetroFleet `json:"many,omitzero"`
}

// RetroRun is one run from its first event to its latest. Every at_ms counts from the
// first event, over all time that passed. It leaves out the time that a clock went back.
type RetroRun struct {
	ID         string           `json:"id"`
	Handle     string           `json:"handle"`
	Task       string           `json:"task"` // its first 16 KiB
	Workspace  string           `json:"workspace"`
	Workflow   string           `json:"workflow"`
	Agent      string           `json:"agent"`  // several agents are in their order of work
	Models     []string         `json:"models"` // as the programs said
	State      string           `json:"state"`  // running, waiting, halted, done, ended, already-green, cancelled, failed, refused
	Reason     string           `json:"reason,omitzero"`
	Started    time.Time        `json:"started"`
	Latest     time.Time        `json:"latest"` // event
	Seq        uint64           `json:"seq"`    // of that event
	Unknown    int              `json:"unknown_events,omitzero"`
	Back       int              `json:"clock_back,omitzero"` // events with a clock behind the one before
	Time       RetroTime        `json:"time"`
	Usage      UsageSum         `json:"usage"`
	Phases     []RetroPhase     `json:"phases"`
	Iterations []RetroIteration `json:"iterations"` // with the baseline as 0; their sums are the run's
	Spans      []RetroSpan      `json:"spans"`      // the timeline, without gaps
	Findings   []RetroFinding   `json:"findings"`   // in the order of their first failure
	More       int              `json:"findings_more,omitzero"`
	Unread     int              `json:"findings_unread,omitzero"` // lists of failing tests that are no longer stored
	Repeated   *RetroRepeated   `json:"after_repeat,omitzero"`
	Decisions  []RetroDecision  `json:"decisions"`
	Repeats    []RetroRepeat    `json:"repeats"`
	Conflicts  []RetroConflict  `json:"conflicts"`
}

// RetroTime splits all time that passed, in milliseconds.
type RetroTime struct {
	Agent   int64 `json:"agent_ms"`
	Gates   int64 `json:"gates_ms"`
	Waiting int64 `json:"waiting_ms"` // for a limit, or between two attempts
	Person  int64 `json:"person_ms"`  // halted, until a resume
	Asleep  int64 `json:"asleep_ms"`  // the host slept
	Other   int64 `json:"other_ms"`   // the daemon's own
}

// RetroPhase is one stay in a phase.
type RetroPhase struct {
	Phase      string `json:"phase"`
	At         int64  `json:"at_ms"`
	Length     int64  `json:"ms"`
	Iterations int    `json:"iterations"`
	Verdict    string `json:"verdict,omitzero"` // of its last iteration
}

// RetroIteration is one iteration with all its attempts, up to the next one.
type RetroIteration struct {
	Phase       string      `json:"phase"`
	Iteration   int         `json:"iteration"`
	Attempts    int         `json:"attempts"`
	Agent       string      `json:"agent,omitzero"`        // profile from the workflow; empty is the run's own agent
	EscalatedTo string      `json:"escalated_to,omitzero"` // profile that goes on instead, after a rail fired
	EscalatedBy string      `json:"escalated_by,omitzero"` // that rail
	Began       time.Time   `json:"began"`
	At          int64       `json:"at_ms"`
	Time        RetroTime   `json:"time"`
	Usage       UsageSum    `json:"usage"`
	TokensFrom  string      `json:"tokens_from,omitzero"`
	CostFrom    string      `json:"cost_from,omitzero"` // reported, computed, guessed or unknown: the weakest of several
	Verdict     string      `json:"verdict,omitzero"`   // empty while it is open
	Files       int         `json:"files"`
	Failing     int         `json:"failing"`
	NoFailing   bool        `json:"failing_unknown,omitzero"` // no parser knew the gates' output
	Fingerprint string      `json:"fingerprint,omitzero"`
	EqualTo     int         `json:"equal_to,omitzero"`     // an earlier iteration with the same fingerprint
	SameFailure int         `json:"same_failure,omitzero"` // an earlier one with the same signature
	AfterRepeat bool        `json:"after_repeat,omitzero"`
	Result      string      `json:"result,omitzero"` // meaning of its agent's end
	Claim       string      `json:"claim,omitzero"`
	Cut         string      `json:"cut,omitzero"`
	Gates       []RetroGate `json:"gates"`
}

// RetroGate is one verdict of a gate.
type RetroGate struct {
	Gate     string `json:"gate"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitzero"`
	Failing  int    `json:"failing,omitzero"`
	Duration int64  `json:"duration_ms,omitzero"`
}

// RetroSpan is a stretch of time with one activity of the run.
type RetroSpan struct {
	Kind      string `json:"kind"` // agent, gates, waiting, person, asleep, other
	At        int64  `json:"at_ms"`
	Length    int64  `json:"ms"`
	Iteration int    `json:"iteration"`
	Cause     string `json:"cause,omitzero"` // of a wait or a halt
}

// RetroFinding is a failed gate or test, from its first iteration to the first one
// without it.
type RetroFinding struct {
	Gate    string `json:"gate"`
	Test    string `json:"test,omitzero"`   // empty is the gate itself
	Reason  string `json:"reason,omitzero"` // of the gate
	Seen    int    `json:"seen"`            // first iteration; 0 is the baseline
	At      int64  `json:"at_ms"`
	Settled int    `json:"settled,omitzero"` // iteration after which it was gone
	Until   int64  `json:"settled_ms,omitzero"`
	Open    bool   `json:"open,omitzero"`
}

// RetroRepeated is the usage from the first repeat on. A repeat is an iteration with the
// fingerprint of an earlier one, or the third with one signature. It ends with a pass, or
// with new findings of a person.
type RetroRepeated struct {
	First      int      `json:"first"`             // iteration that repeated
	EqualTo    int      `json:"equal_to"`          // the earlier one
	By         string   `json:"by"`                // fingerprint or signature
	Iterations int      `json:"iterations"`        // from the repeat on
	Length     int64    `json:"ms"`                // of work: without waits, sleep and persons
	Usage      UsageSum `json:"usage"`             // of these iterations
	Green      bool     `json:"passed,omitzero"`   // one of them passed all the same
	Resumed    bool     `json:"findings,omitzero"` // a person's findings ended it
}

// RetroDecision is a stop that waited for a person, or a stop at a person's request.
type RetroDecision struct {
	Kind      string    `json:"kind"` // reason of the halt, or stop-iteration, stop-now, stop-cancel
	Iteration int       `json:"iteration"`
	Began     time.Time `json:"began"`
	At        int64     `json:"at_ms"`
	Took      int64     `json:"took_ms"`         // until the decision, or so far
	Made      string    `json:"made,omitzero"`   // resumed, resumed with findings, cancelled; empty is open
	By        string    `json:"by,omitzero"`     // actor
	Asked     string    `json:"asked,omitzero"`  // the question
	Answer    string    `json:"answer,omitzero"` // the findings
}

// RetroRepeat is an agent that repeated one tool with the same input many times in one
// turn.
type RetroRepeat struct {
	Iteration int    `json:"iteration"`
	Times     int    `json:"times"`
	What      string `json:"what,omitzero"` // tool and input, after many repeats
	Ended     bool   `json:"ended,omitzero"`
}

// RetroConflict is an end of an agent with conflicting signals.
type RetroConflict struct {
	Iteration int    `json:"iteration"`
	By        string `json:"by"` // the source that counts
	Result    string `json:"result"`
	Other     string `json:"other"` // the source that says otherwise
	Says      string `json:"says"`
}

// RetroFleet is the sum over many runs.
type RetroFleet struct {
	Since    time.Time    `json:"since"`
	Runs     int          `json:"count"`
	Passed   int          `json:"passed"` // done or already green
	Closed   int          `json:"closed"` // done, already green, ended, failed, halted: the base of the pass rate
	States   []RetroCount `json:"states"` // the most frequent first
	ToGreen  []RetroCount `json:"to_green"`
	Median   int          `json:"to_green_median,omitzero"` // iterations of a done run
	Halts    []RetroCount `json:"halts"`                    // by reason, resumed ones included
	Waits    []RetroCount `json:"waits"`                    // by cause
	Time     RetroTime    `json:"time"`
	Usage    UsageSum     `json:"usage"`
	Done     int          `json:"done"`                    // runs
	DoneUSD  int64        `json:"done_micro_usd"`          // known cost of all of them
	DonePart int          `json:"done_cost_part,omitzero"` // of these, runs with cost unknown in part
	Repeats  int          `json:"repeat_iterations"`       // after a first repeat
	Repeated UsageSum     `json:"after_repeat"`
	Unknown  int          `json:"unknown_events,omitzero"`
	Days     []RetroDay   `json:"days"` // in order, without days on which no run started
	Rows     []RetroRow   `json:"rows"` // newest first
	More     int          `json:"rows_more,omitzero"`
	Unread   int          `json:"unread,omitzero"` // runs with unreadable events
}

// RetroCount is how often something happened, and how long.
type RetroCount struct {
	Key    string `json:"key"`
	Count  int    `json:"count"`
	Length int64  `json:"ms,omitzero"`
}

// RetroDay counts the runs started on one day.
type RetroDay struct {
	Day      string `json:"day"` // 2026-01-02
	Runs     int    `json:"count"`
	Passed   int    `json:"passed"`
	MicroUSD int64  `json:"micro_usd"`
	Tokens   int64  `json:"tokens"`
}

// RetroRow is one run of many.
type RetroRow struct {
	Handle     string    `json:"handle"`
	State      string    `json:"state"`
	Reason     string    `json:"reason,omitzero"`
	Task       string    `json:"task"` // its first line
	Started    time.Time `json:"started"`
	Iterations int       `json:"iterations"`
	Halts      int       `json:"halts"`
	Length     int64     `json:"ms"` // of work
	Tokens     int64     `json:"tokens"`
	MicroUSD   int64     `json:"micro_usd"`
	NoCost     int       `json:"cost_unknown,omitzero"` // agents
	NoTokens   int       `json:"tokens_unknown,omitzero"`
}
