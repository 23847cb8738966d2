package wire

import "time"

// These types are for a look at all runs, as on the morning after.

// ReportRequest asks for the outcomes of runs.
type ReportRequest struct {
	Workspace string    `json:"workspace,omitzero"` // only of this directory
	Since     time.Time `json:"since,omitzero"`
	Limit     int       `json:"limit,omitzero"` // at most so many runs in each part; 0 is all
}

// ReportView has the outcomes of runs, their cost and the needs for a person.
type ReportView struct {
	Since  time.Time    `json:"since"`
	At     time.Time    `json:"at"` // when it was made
	Parts  []ReportPart `json:"parts"`
	Total  UsageSum     `json:"total"` // of agents that ended since, of all runs
	Counts Counts       `json:"counts"`
	Blocks []InboxItem  `json:"blocks,omitzero"` // items that wait for a person and are no run
	// Language is the user's language for texts about no run.
	Language string `json:"language,omitzero"`
}

// ReportPart lists the runs of one kind. Runs that need a person are oldest first, all
// others newest first.
type ReportPart struct {
	Name   string      `json:"name"` // needs-you, done, halted, waiting, running, ended
	Runs   []ReportRun `json:"runs"`
	More   int         `json:"more,omitzero"`   // left out
	Before int         `json:"before,omitzero"` // halted before the report's time, and still halted
}

// The parts of a report, in their order.
const (
	PartNeedsYou = "needs-you"
	PartDone     = "done"
	PartHalted   = "halted"
	PartWaiting  = "waiting"
	PartRunning  = "running"
	PartEnded    = "ended" // already green, cancelled, refused, failed and the like
)

// ReportRun is a run in a report.
type ReportRun struct {
	Run     RunView     `json:"run"`              // its task is cut to one line
	At      time.Time   `json:"at"`               // when it came into this state
	Kind    string      `json:"kind,omitzero"`    // its need for a person, as in the inbox
	What    string      `json:"what"`             // one sentence
	Next    NextCommand `json:"next"`             // empty without a next step
	Usage   UsageSum    `json:"usage"`            // of agents that ended since the report's time
	Refused int         `json:"refused,omitzero"` // requests of its agents and gates that the daemon refused, over the whole run
	Added   *Additions  `json:"added,omitzero"`   // suppressions and test-like files of a done run
}

// InboxRequest asks for the items that wait for a person.
type InboxRequest struct {
	Limit int `json:"limit,omitzero"` // at most so many, the oldest; 0 is all
}

// InboxView lists items that wait for a person, oldest first.
type InboxView struct {
	Items []InboxItem `json:"items"`
	More  int         `json:"more,omitzero"` // left out
	// Language is the user's language for texts about no run.
	Language string `json:"language,omitzero"`
}

// InboxItem is one item that waits for a person.
type InboxItem struct {
	Kind      string    `json:"kind"` // question, blocked, permission, login, billing, drift, log, reboot, workspace, agent, gate, foreign, limit-ended, trust, queue, halted
	At        time.Time `json:"at"`   // since when
	Run       string    `json:"run,omitzero"`
	ID        string    `json:"id,omitzero"`
	Task      string    `json:"task,omitzero"` // cut to one line
	Workspace string    `json:"workspace,omitzero"`
	What      string    `json:"what"`              // one sentence
	Question  string    `json:"question,omitzero"` // of an agent or a gate, verbatim
	// Asks is the waiting question of a live run.
	Asks *QuestionView `json:"asks,omitzero"`
	Next NextCommand   `json:"next"`
	// Language is the language of the item's sentences.
	Language string `json:"language,omitzero"`
}

// Counts counts runs by state.
type Counts struct {
	Live    int `json:"live"` // running and waiting
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Halted  int `json:"halted"` // all halted runs
	Needs   int `json:"needs"`  // halted, or live and asking; only a person can help them
	Asking  int `json:"asking"` // live with a waiting question; not in Running or Waiting
	Done    int `json:"done"`   // since the time asked for
	Failed  int `json:"failed"` // failed and refused, since then
}

// LineRequest asks for a status line.
type LineRequest struct {
	Workspace string    `json:"workspace,omitzero"` // whose latest run is shown too
	Since     time.Time `json:"since,omitzero"`     // of done runs and of the cost
}

// LineView is a status line.
type LineView struct {
	Counts Counts    `json:"counts"`
	Usage  UsageSum  `json:"usage"`        // since the time asked for
	Run    *LineRun  `json:"run,omitzero"` // the latest of the directory
	At     time.Time `json:"at"`           // when it was read
	Daemon string    `json:"daemon"`       // on; idle: ended with nothing live; off or silent: the rest is the last known state
}

// The states of the daemon in a status line. An idle daemon has ended with nothing live,
// so the last state still holds.
const (
	LineOn     = "on"
	LineIdle   = "idle"
	LineOff    = "off"
	LineSilent = "silent"
)

// LineRun is a run in few words.
type LineRun struct {
	Handle     string     `json:"handle"`
	State      string     `json:"state"`
	Reason     string     `json:"reason,omitzero"`
	Stage      string     `json:"stage,omitzero"`
	Phase      string     `json:"phase"`
	Iteration  int        `json:"iteration"`
	Iterations int        `json:"max_iterations"`
	LastSign   *time.Time `json:"last_sign,omitzero"` // of life, of a live run
}

// Morning schemas.
const (
	SchemaReport = "autopilot.report" // of report, and of apctl without a command
	SchemaInbox  = "autopilot.inbox"
	SchemaLine   = "autopilot.line"
)
