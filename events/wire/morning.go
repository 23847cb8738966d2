package wire

import "time"

// What people look at the morning after.

// ReportRequest asks what became of runs.
type ReportRequest struct {
	Workspace string    `json:"workspace,omitzero"` // only of this directory
	Since     time.Time `json:"since,omitzero"`
	Limit     int       `json:"limit,omitzero"` // at most so many runs in each part; 0 is all
}

// ReportView tells what became of runs, what it cost and what needs a person.
type ReportView struct {
	Since  time.Time    `json:"since"`
	At     time.Time    `json:"at"` // when it was made
	Parts  []ReportPart `json:"parts"`
	Total  UsageSum     `json:"total"` // of what ended since, runs that are left out included
	Counts Counts       `json:"counts"`
	Blocks []InboxItem  `json:"blocks,omitzero"` // what waits for a person and is no run
	// Language is that of the user, of all that is about no run.
	Language string `json:"language,omitzero"`
}

// ReportPart is the runs of one kind. Those that need somebody are the oldest
// first, all others the newest first.
type ReportPart struct {
	Name   string      `json:"name"` // needs-you, done, halted, waiting, running, ended
	Runs   []ReportRun `json:"runs"`
	More   int         `json:"more,omitzero"`   // left out
	Before int         `json:"before,omitzero"` // halted before the time asked for, and still so
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
	At      time.Time   `json:"at"`               // when it came to be so
	Kind    string      `json:"kind,omitzero"`    // what of a person it needs, as in the inbox
	What    string      `json:"what"`             // one sentence
	Next    NextCommand `json:"next"`             // empty where nothing is to be done
	Usage   UsageSum    `json:"usage"`            // of what ended since the time asked for
	Refused int         `json:"refused,omitzero"` // requests of its agents and gates that the daemon refused, over all of the run
	Added   *Additions  `json:"added,omitzero"`   // suppressions and test-like files of one that is done
}

// InboxView is what waits for a person, the oldest first.
type InboxView struct {
	Items []InboxItem `json:"items"`
	// Language is that of the user, of all that is about no run.
	Language string `json:"language,omitzero"`
}

// InboxItem is one thing that waits.
type InboxItem struct {
	Kind      string    `json:"kind"` // question, blocked, permission, login, billing, drift, log, reboot, workspace, agent, gate, foreign, limit-ended, trust, halted
	At        time.Time `json:"at"`   // since when
	Run       string    `json:"run,omitzero"`
	ID        string    `json:"id,omitzero"`
	Task      string    `json:"task,omitzero"` // cut to one line
	Workspace string    `json:"workspace,omitzero"`
	What      string    `json:"what"`              // one sentence
	Question  string    `json:"question,omitzero"` // of an agent or a gate, as it asked
	// Asks is the question that a live run waits with.
	Asks *QuestionView `json:"asks,omitzero"`
	Next NextCommand   `json:"next"`
	// Language is that of its sentences.
	Language string `json:"language,omitzero"`
}

// Counts says how many runs are how.
type Counts struct {
	Live    int `json:"live"` // running and waiting
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Halted  int `json:"halted"` // all of them
	Needs   int `json:"needs"`  // those that only a person can help: halted, or live and asking
	Asking  int `json:"asking"` // live, and waiting for an answer; none of Running and Waiting
	Done    int `json:"done"`   // since the time asked for
	Failed  int `json:"failed"` // failed and refused, since then
}

// LineRequest asks for what a status line shows.
type LineRequest struct {
	Workspace string    `json:"workspace,omitzero"` // whose latest run is shown too
	Since     time.Time `json:"since,omitzero"`     // of what is done and of the cost
}

// LineView is what a status line shows.
type LineView struct {
	Counts Counts    `json:"counts"`
	Usage  UsageSum  `json:"usage"`        // since the time asked for
	Run    *LineRun  `json:"run,omitzero"` // the latest of the directory
	At     time.Time `json:"at"`           // when it was so
	Daemon string    `json:"daemon"`       // on; idle when it has ended with nothing live; off or silent when this is what was known last
}

// What a status line says of the daemon. An idle one has ended with nothing live,
// so all is still as it left it.
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
	SchemaReport = "autopilot.report" // of report, and of apctl alone
	SchemaInbox  = "autopilot.inbox"
	SchemaLine   = "autopilot.line"
)
