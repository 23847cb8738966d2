package wire

import (
	"time"

	"autopilot/events"
)

// LanguageOf is the language of texts about a run; English without one.
func LanguageOf(v *RunView) events.Language {
	if v == nil {
		return events.English
	}
	return events.Language(v.Language)
}

// BudgetView is how many iterations a phase has for each entry.
type BudgetView struct {
	Phase      string `json:"phase"`
	Iterations int    `json:"iterations"`
}

// RunView is a run for people and programs. New versions only add fields.
type RunView struct {
	ID          string       `json:"id"`
	Handle      string       `json:"handle"`
	State       string       `json:"state"`           // running, waiting, halted, done, ended, already-green, cancelled, failed, refused
	Reason      string       `json:"reason,omitzero"` // of a halt, a refusal or a wait
	Stage       string       `json:"stage,omitzero"`  // of a live run: baseline, agent, gates, looking, asking, deciding
	Exit        int          `json:"exit"`            // what apctl run and wait exit with; -1 while live
	Task        string       `json:"task"`            // its first 16 KiB
	Workspace   string       `json:"workspace"`
	Workflow    string       `json:"workflow"`
	Agent       string       `json:"agent"`
	Role        string       `json:"role,omitzero"`        // of the agent, where the workflow names its agents
	Level       int          `json:"level,omitzero"`       // of the agent in the role, from 1
	Levels      int          `json:"levels,omitzero"`      // number of the role's agents
	Permissions string       `json:"permissions,omitzero"` // "full" when the agent may do anything unasked
	Phase       string       `json:"phase"`
	Iteration   int          `json:"iteration"`
	Attempt     int          `json:"attempt,omitzero"`
	Iterations  int          `json:"max_iterations"`
	Timeouts    Timeouts     `json:"timeouts,omitzero"`
	Budgets     []BudgetView `json:"budgets,omitzero"` // iterations of each working phase, where there are several
	Started     time.Time    `json:"started"`
	Ended       *time.Time   `json:"ended,omitzero"`
	Halted      *time.Time   `json:"halted,omitzero"`   // when a halted run halted
	ActiveMS    int64        `json:"active_ms"`         // elapsed, without host sleep and waits
	LimitMS     int64        `json:"limit_ms,omitzero"` // of active time
	Until       *time.Time   `json:"until,omitzero"`    // wall clock
	EndsBy      *time.Time   `json:"ends_by,omitzero"`  // the earlier of both, from now
	LastOutput  *time.Time   `json:"last_output,omitzero"`
	NextWake    *time.Time   `json:"next_wake,omitzero"` // of a waiting run
	Priority    string       `json:"priority,omitzero"`  // low or high; absent is normal
	Stopping    string       `json:"stopping,omitzero"`  // a stop was asked for: iteration, now, cancel
	Gates       []GateView   `json:"gates"`
	Issue       string       `json:"issue,omitzero"`  // its subject: OWNER/NAME#24, or #24
	Branch      string       `json:"branch,omitzero"` // of a work tree that was made for the run
	Files       int          `json:"files"`           // changed against the start of the run
	Tree        string       `json:"tree,omitzero"`
	Seq         uint64       `json:"seq"`
	Unknown     int          `json:"unknown_events,omitzero"`
	Usage       *UsageSum    `json:"usage,omitzero"`   // of all iterations, and the one under way so far
	Limits      *Budget      `json:"budget,omitzero"`  // limits that the run must keep
	Waiting     *WaitView    `json:"waiting,omitzero"` // for a limit
	// Question is the waiting question; its text is cut.
	Question *QuestionView `json:"question,omitzero"`
	Driver   *DriverView   `json:"driver,omitzero"`  // of a run that a chat drives
	Account  string        `json:"account,omitzero"` // id of the agent's account
	Sandbox  string        `json:"sandbox,omitzero"` // of the agent
	Life     *LifeView     `json:"life,omitzero"`    // of an agent that prints nothing for a while
	// Budgeted is the used part of that budget. New findings at a resume start it anew.
	Budgeted *Budget `json:"budget_used,omitzero"`
	// Changed are files that another program or person changed before a resume, until an
	// iteration knows of them. The run takes them as they are.
	Changed []string `json:"changed,omitzero"`
	// HeadMoved is a move of HEAD by another program or person before a resume, for as
	// long.
	HeadMoved *HeadMoved `json:"head_moved,omitzero"`
	// InSight, only in the answer of run, says why the agent can see held-out files.
	InSight string `json:"in_sight,omitzero"`
	// Git has sentences about changes in git since the start of the run: the first ones,
	// in status and report.
	Git []string `json:"git,omitzero"`
	// IndexLock, only in the answer of run, is a sentence: the program that holds git's
	// index lock in the work tree, and since when. The run goes on all the same.
	IndexLock string `json:"index_lock,omitzero"`
	// TaskPins, only in the answer of run, are globs of pinned files that the task asks
	// to change.
	TaskPins []string `json:"task_pins,omitzero"`
	// Hidden, only in the answer of run, lists exit codes that its gates hide.
	Hidden []HiddenExit `json:"hidden,omitzero"`
	// Lacks, only in the answer of run, lists programs that its gates look for, and that
	// this host lacks.
	Lacks []MissingProgram `json:"lacks,omitzero"`
	// Express, only in the answer of run and alone there, is the evidence that a task is
	// small. No run started: the caller should first ask a person whether the task needs
	// its workflow.
	Express string `json:"express,omitzero"`
	// Published is the outcome of the push of passed work to its branch.
	Published *PublishedView `json:"published,omitzero"`
	// Land is of a run that lands the work of others.
	Land *LandView `json:"land,omitzero"`
	// Handoff lists gates that ask nobody, as a person handed them over at the start.
	Handoff []string `json:"handoff,omitzero"`
	// Unhanded, only in the answer of run, says why its gates ask although FA_HANDOFF is
	// 1.
	Unhanded string `json:"unhanded,omitzero"`
	// Gone says why texts, outputs and recorded trees of the run are missing.
	Gone *GoneView `json:"gone,omitzero"`
	// Imported marks history from another place: nothing here changes it.
	Imported bool `json:"imported,omitzero"`
	// Language is the language of sentences about the run: the user's, else the run's.
	Language string `json:"language,omitzero"`
}

// PublishedView is passed work on its branch, where people review it.
type PublishedView struct {
	Commit  string `json:"commit,omitzero"`  // the pushed commit
	Link    string `json:"link,omitzero"`    // address of the draft pull request
	Problem string `json:"problem,omitzero"` // what failed
	// Ready marks the passed work of a hand-off: it needs no more than its merge.
	Ready bool `json:"merge_ready,omitzero"`
}

// UsageSum is the known usage. The kinds of tokens do not overlap.
type UsageSum struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Tokens     int64 `json:"tokens"` // all kinds
	MicroUSD   int64 `json:"micro_usd"`
	Turns      int   `json:"turns,omitzero"`
	ActiveMS   int64 `json:"active_ms"` // working time of agents
	Agents     int   `json:"agents"`    // ended agents
	// Counts of those agents: without a token report, with unknown cost, with a cost
	// computed from a table of prices.
	NoTokens int `json:"tokens_unknown,omitzero"`
	NoCost   int `json:"cost_unknown,omitzero"`
	Computed int `json:"cost_computed,omitzero"`
}

// Budget is the allowance of a run, a day or a project; zero is no limit.
type Budget struct {
	MicroUSD int64 `json:"micro_usd,omitzero"`
	Tokens   int64 `json:"tokens,omitzero"`
	Turns    int   `json:"turns,omitzero"`
	ActiveMS int64 `json:"active_ms,omitzero"`
}

// WaitView is the wait of a run.
type WaitView struct {
	Cause   string     `json:"cause"` // rate-limited, overloaded, unreachable, slots, day-cost ...
	Account string     `json:"account,omitzero"`
	Until   time.Time  `json:"until"`
	Reset   *time.Time `json:"reset,omitzero"` // when the limit itself ends
	Source  string     `json:"source,omitzero"`
	Place   int        `json:"place,omitzero"` // in the line of runs with the same wait, from 1
	Limit   int64      `json:"limit,omitzero"` // the user's own, in its unit
	Used    int64      `json:"used,omitzero"`
	By      string     `json:"by,omitzero"`     // of the machine, bound on its agents: verdict, memory, max or project
	Signal  *Pressure  `json:"signal,omitzero"` // and the worst signal
}

// Pressure is a reading and the limit that it passed, in whole bytes, percent or numbers.
type Pressure struct {
	Of    string `json:"of"` // the member of a reading, as in probe
	Value int64  `json:"value"`
	Limit int64  `json:"limit"`
}

// LifeView is the last sign of life of an agent, apart from output.
type LifeView struct {
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"`           // cpu, files or transcript; chat: a use of a tool, reported by its host
	Calls int       `json:"calls,omitzero"` // chat: uses of tools in this iteration
}

// UsageRequest asks for the usage of agents.
type UsageRequest struct {
	Workspace string    `json:"workspace,omitzero"` // only of this project
	Since     time.Time `json:"since,omitzero"`
	By        string    `json:"by,omitzero"`   // project, agent, model, day or run; empty is day
	Zone      string    `json:"zone,omitzero"` // IANA name, for days; empty is the daemon's zone
}

// UsageReport is the usage of agents.
type UsageReport struct {
	Since    time.Time     `json:"since"`
	By       string        `json:"by"`
	Rows     []UsageRow    `json:"rows"` // the largest first; days in order
	Total    UsageSum      `json:"total"`
	Limits   []LimitView   `json:"limits"`   // the user's own
	Accounts []AccountView `json:"accounts"` // with a limit now, a gauge, or live runs
}

// UsageRow is one part of the usage.
type UsageRow struct {
	Key string `json:"key"`
	UsageSum
}

// LimitView is one of the user's own limits and its used part.
type LimitView struct {
	Scope string    `json:"scope"` // day, or project: project and day
	Kind  string    `json:"kind"`  // tokens, cost, turns or hours
	Limit int64     `json:"limit"` // tokens, millionths of a dollar, turns or milliseconds
	Used  int64     `json:"used"`
	Until time.Time `json:"until"` // when it starts again
}

// AccountView is one login of an agent program.
type AccountView struct {
	ID      string     `json:"id"`
	Label   string     `json:"label,omitzero"` // program, and its local name
	State   string     `json:"state"`          // ok, rate-limited, overloaded, unreachable, auth-failed or billing
	Until   *time.Time `json:"until,omitzero"`
	Source  string     `json:"source,omitzero"` // of that time
	Slots   int        `json:"slots,omitzero"`  // agents at once; zero is any number
	Working []string   `json:"working"`         // handles of runs whose agents work
	Waiting []string   `json:"waiting"`         // handles of waiting runs, in line
	Gauge   *GaugeView `json:"gauge,omitzero"`  // how full its limit is, as its provider said last
}

// GaugeView says how much of an account's limit is used.
type GaugeView struct {
	Window  string     `json:"window,omitzero"` // as the provider names it: five_hour, seven_day
	Percent int        `json:"percent"`
	Resets  *time.Time `json:"resets,omitzero"`
	At      time.Time  `json:"at"` // end of the agent that was told
}

// GateView is one gate of a run with its latest verdict.
type GateView struct {
	Name       string      `json:"name"`
	Kind       string      `json:"kind"`
	Role       string      `json:"role"`
	Command    string      `json:"command,omitzero"`
	Files      []string    `json:"files,omitzero"`   // of an artifact: globs, not a command
	Verdict    string      `json:"verdict,omitzero"` // empty before the first
	Reason     string      `json:"reason,omitzero"`
	Says       string      `json:"says,omitzero"` // Reason in words, in the language of the run
	Exit       int         `json:"exit"`
	Failing    int         `json:"failing,omitzero"`
	Before     int         `json:"failing_before,omitzero"` // in the iteration before
	DurationMS int64       `json:"duration_ms,omitzero"`
	Used       int64       `json:"used,omitzero"` // of a session: the value, a count, seconds, or issues of Of
	Of         int64       `json:"of,omitzero"`
	Limit      int64       `json:"limit,omitzero"` // its limit, seconds or percent; of a timeout milliseconds
	Rate       events.Rate `json:"rate,omitzero"`  // of a command that runs more than once: how many runs failed
	After      events.Rate `json:"after,omitzero"` // of a gate of kind red: the same with the work

	Tests    events.Executed `json:"tests,omitzero"`        // run, as the output says
	TestsWas events.Executed `json:"tests_before,omitzero"` // at the baseline
	Baseline bool            `json:"baseline,omitzero"`     // result from before any work, the latest
}

// The schemas of JSON envelopes: every --json answer is {"schema": name, "version": n,
// "data": ...}.
const (
	SchemaRun         = "autopilot.run"
	SchemaRuns        = "autopilot.runs"
	SchemaWhy         = "autopilot.why"
	SchemaEvent       = "autopilot.event"
	SchemaLog         = "autopilot.log"
	SchemaDiff        = "autopilot.diff"
	SchemaWatch       = "autopilot.watch"
	SchemaVerify      = "autopilot.verify"
	SchemaDaemon      = "autopilot.daemon"
	SchemaConfig      = "autopilot.config"
	SchemaTrust       = "autopilot.trust"
	SchemaAgents      = "autopilot.agents"
	SchemaInit        = "autopilot.init"
	SchemaDoctor      = "autopilot.doctor"
	SchemaRestore     = "autopilot.restore"
	SchemaReplay      = "autopilot.replay"
	SchemaNotify      = "autopilot.notify"
	SchemaPreview     = "autopilot.preview"
	SchemaVersion     = "autopilot.version"
	SchemaError       = "autopilot.error"
	SchemaUsage       = "autopilot.usage"
	SchemaProbe       = "autopilot.probe"
	SchemaProbeReplay = "autopilot.probe.replay"
	SchemaLaunch      = "autopilot.probe.launch"
	SchemaService     = "autopilot.service" // of daemon install and uninstall
	// SchemaNotification is the schema of messages on standard input of notify commands,
	// and to webhooks.
	SchemaNotification = "autopilot.notification"
)

// Envelope wraps a --json answer.
type Envelope struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Data    any    `json:"data"`
}

// HeadMoved is a move of HEAD: both ends as a branch and a commit.
type HeadMoved struct {
	From string `json:"from"`
	To   string `json:"to"`
}
