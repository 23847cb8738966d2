package wire

import "time"

// SchemaRetro is the answer of retro.
const SchemaRetro = "autopilot.retro"

// The formats of a retro.
const (
	RetroJSON     = "json" // a RetroView, without an envelope
	RetroHTML     = "html"
	RetroMarkdown = "md"
)

// RetroRequest asks for a retro of one run or, with Since, of all runs with an
// event since then.
type RetroRequest struct {
	RunRef
	Since  time.Time `json:"since,omitzero"`
	Here   bool      `json:"here,omitzero"`   // with Since: only runs of the caller's workspace
	Format string    `json:"format,omitzero"` // json, html or md; empty is json
	Zone   string    `json:"zone,omitzero"`   // IANA name, of shown times and of days; empty is that of the daemon
}

// RetroView is a retro: of one run, or of many.
type RetroView struct {
	Made time.Time   `json:"made"`
	Zone string      `json:"zone"` // of days
	Run  *RetroRun   `json:"run,omitzero"`
	Many *RetroFleet `json:"many,omitzero"`
}

// RetroRun is one run from its first event to its latest. Every at_ms counts
// from the first event, over all time that passed; time by which a clock went
// back is not counted.
type RetroRun struct {
	ID         string           `json:"id"`
	Handle     string           `json:"handle"`
	Task       string           `json:"task"` // its first 16 KiB
	Workspace  string           `json:"workspace"`
	Workflow   string           `json:"workflow"`
	Agent      string           `json:"agent"`  // of several that worked, in their order
	Models     []string         `json:"models"` // as the programs said
	State      string           `json:"state"`  // running, waiting, halted, done, ended, already-green, cancelled, failed, refused
	Reason     string           `json:"reason,omitzero"`
	Started    time.Time        `json:"started"`
	Latest     time.Time        `json:"latest"` // event
	Seq        uint64           `json:"seq"`    // of that event
	Unknown    int              `json:"unknown_events,omitzero"`
	Back       int              `json:"clock_back,omitzero"` // events whose clock was behind the one before
	Time       RetroTime        `json:"time"`
	Usage      UsageSum         `json:"usage"`
	Phases     []RetroPhase     `json:"phases"`
	Iterations []RetroIteration `json:"iterations"` // with the baseline as 0; their sums are those of the run
	Spans      []RetroSpan      `json:"spans"`      // the timeline, without gaps
	Findings   []RetroFinding   `json:"findings"`   // in the order in which they were seen
	More       int              `json:"findings_more,omitzero"`
	Unread     int              `json:"findings_unread,omitzero"` // lists of failing tests that are no longer stored
	Repeated   *RetroRepeated   `json:"after_repeat,omitzero"`
	Decisions  []RetroDecision  `json:"decisions"`
	Repeats    []RetroRepeat    `json:"repeats"`
	Conflicts  []RetroConflict  `json:"conflicts"`
}

// RetroTime divides all time that passed, in milliseconds.
type RetroTime struct {
	Agent   int64 `json:"agent_ms"`
	Gates   int64 `json:"gates_ms"`
	Waiting int64 `json:"waiting_ms"` // for a limit, or between two tries
	Person  int64 `json:"person_ms"`  // halted, until somebody let it go on
	Asleep  int64 `json:"asleep_ms"`  // the host was
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
	Agent       string      `json:"agent,omitzero"`        // profile that the workflow names for who worked; empty is the run's own
	EscalatedTo string      `json:"escalated_to,omitzero"` // profile that goes on instead, as a rail fired after it
	EscalatedBy string      `json:"escalated_by,omitzero"` // that rail
	Began       time.Time   `json:"began"`
	At          int64       `json:"at_ms"`
	Time        RetroTime   `json:"time"`
	Usage       UsageSum    `json:"usage"`
	TokensFrom  string      `json:"tokens_from,omitzero"`
	CostFrom    string      `json:"cost_from,omitzero"` // reported, computed, guessed or unknown; of several the weakest
	Verdict     string      `json:"verdict,omitzero"`   // empty while it is open
	Files       int         `json:"files"`
	Failing     int         `json:"failing"`
	NoFailing   bool        `json:"failing_unknown,omitzero"` // no parser knew what the gates printed
	Fingerprint string      `json:"fingerprint,omitzero"`
	EqualTo     int         `json:"equal_to,omitzero"`     // an earlier iteration with the same fingerprint
	SameFailure int         `json:"same_failure,omitzero"` // an earlier one with the same signature
	AfterRepeat bool        `json:"after_repeat,omitzero"`
	Result      string      `json:"result,omitzero"` // what the end of its agent means
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

// RetroSpan is a stretch of time in which a run did one thing.
type RetroSpan struct {
	Kind      string `json:"kind"` // agent, gates, waiting, person, asleep, other
	At        int64  `json:"at_ms"`
	Length    int64  `json:"ms"`
	Iteration int    `json:"iteration"`
	Cause     string `json:"cause,omitzero"` // of a wait or a halt
}

// RetroFinding is a gate or a test that failed, from the iteration that showed
// it to the one that did not.
type RetroFinding struct {
	Gate    string `json:"gate"`
	Test    string `json:"test,omitzero"`   // empty is the gate itself
	Reason  string `json:"reason,omitzero"` // of the gate
	Seen    int    `json:"seen"`            // iteration; 0 is the baseline
	At      int64  `json:"at_ms"`
	Settled int    `json:"settled,omitzero"` // iteration after which it was gone
	Until   int64  `json:"settled_ms,omitzero"`
	Open    bool   `json:"open,omitzero"`
}

// RetroRepeated is what was used from the first repeat on: an iteration with the
// fingerprint of an earlier one, or the third with one signature. It ends with
// a pass, or with new findings of a person.
type RetroRepeated struct {
	First      int      `json:"first"`             // iteration that repeated
	EqualTo    int      `json:"equal_to"`          // the earlier one
	By         string   `json:"by"`                // fingerprint or signature
	Iterations int      `json:"iterations"`        // from it on
	Length     int64    `json:"ms"`                // of work: without waits, sleep and persons
	Usage      UsageSum `json:"usage"`             // of them
	Green      bool     `json:"passed,omitzero"`   // one of them got there all the same
	Resumed    bool     `json:"findings,omitzero"` // a person's findings ended it
}

// RetroDecision is a stop that a person had to end, or a stop that one asked
// for.
type RetroDecision struct {
	Kind      string    `json:"kind"` // reason of the halt, or stop-iteration, stop-now, stop-cancel
	Iteration int       `json:"iteration"`
	Began     time.Time `json:"began"`
	At        int64     `json:"at_ms"`
	Took      int64     `json:"took_ms"`         // until it was made, or so far
	Made      string    `json:"made,omitzero"`   // resumed, resumed with findings, cancelled; empty is open
	By        string    `json:"by,omitzero"`     // actor
	Asked     string    `json:"asked,omitzero"`  // the question
	Answer    string    `json:"answer,omitzero"` // the findings
}

// RetroRepeat is an agent that used one tool with the same input again and again
// in one turn.
type RetroRepeat struct {
	Iteration int    `json:"iteration"`
	Times     int    `json:"times"`
	What      string `json:"what,omitzero"` // tool and input, if it was repeated often
	Ended     bool   `json:"ended,omitzero"`
}

// RetroConflict is an end of an agent about which sources disagree.
type RetroConflict struct {
	Iteration int    `json:"iteration"`
	By        string `json:"by"` // the source that is believed
	Result    string `json:"result"`
	Other     string `json:"other"` // the source that says otherwise
	Says      string `json:"says"`
}

// RetroFleet is what many runs have in common.
type RetroFleet struct {
	Since    time.Time    `json:"since"`
	Runs     int          `json:"count"`
	Passed   int          `json:"passed"` // done or already green
	Closed   int          `json:"closed"` // done, already green, ended, failed, halted: of these the pass rate is
	States   []RetroCount `json:"states"` // the most frequent first
	ToGreen  []RetroCount `json:"to_green"`
	Median   int          `json:"to_green_median,omitzero"` // iterations of a done run
	Halts    []RetroCount `json:"halts"`                    // by reason, also those that went on
	Waits    []RetroCount `json:"waits"`                    // by cause
	Time     RetroTime    `json:"time"`
	Usage    UsageSum     `json:"usage"`
	Done     int          `json:"done"`                    // runs
	DoneUSD  int64        `json:"done_micro_usd"`          // that all of them cost, as far as it is known
	DonePart int          `json:"done_cost_part,omitzero"` // of them, those whose cost is not known in full
	Repeats  int          `json:"repeat_iterations"`       // after a first repeat
	Repeated UsageSum     `json:"after_repeat"`
	Unknown  int          `json:"unknown_events,omitzero"`
	Days     []RetroDay   `json:"days"` // in order, without those on which no run was started
	Rows     []RetroRow   `json:"rows"` // newest first
	More     int          `json:"rows_more,omitzero"`
	Unread   int          `json:"unread,omitzero"` // runs whose events cannot be read
}

// RetroCount is how often something was, and how long.
type RetroCount struct {
	Key    string `json:"key"`
	Count  int    `json:"count"`
	Length int64  `json:"ms,omitzero"`
}

// RetroDay is the runs that were started on one day.
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
