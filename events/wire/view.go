package wire

import (
	"time"

	"autopilot/events"
)

// LanguageOf is that in which a run is told of; English where it is of none.
func LanguageOf(v *RunView) events.Language {
	if v == nil {
		return events.English
	}
	return events.Language(v.Language)
}

// BudgetView is how many iterations a phase has each time that it is entered.
type BudgetView struct {
	Phase      string `json:"phase"`
	Iterations int    `json:"iterations"`
}

// RunView is a run as people and programs see it. Fields are only ever added.
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
	Role        string       `json:"role,omitzero"`        // of the agent, where the workflow names who works for it
	Level       int          `json:"level,omitzero"`       // of the agent among those, from 1
	Levels      int          `json:"levels,omitzero"`      // how many those are
	Permissions string       `json:"permissions,omitzero"` // "full" when the agent may do anything unasked
	Phase       string       `json:"phase"`
	Iteration   int          `json:"iteration"`
	Attempt     int          `json:"attempt,omitzero"`
	Iterations  int          `json:"max_iterations"`
	Timeouts    Timeouts     `json:"timeouts,omitzero"`
	Budgets     []BudgetView `json:"budgets,omitzero"` // iterations of each phase in which somebody works, where there are several
	Started     time.Time    `json:"started"`
	Ended       *time.Time   `json:"ended,omitzero"`
	Halted      *time.Time   `json:"halted,omitzero"`   // when a halted run halted
	ActiveMS    int64        `json:"active_ms"`         // elapsed without host sleep and waits
	LimitMS     int64        `json:"limit_ms,omitzero"` // of active time
	Until       *time.Time   `json:"until,omitzero"`    // wall clock
	EndsBy      *time.Time   `json:"ends_by,omitzero"`  // the earlier of both, from now
	LastOutput  *time.Time   `json:"last_output,omitzero"`
	NextWake    *time.Time   `json:"next_wake,omitzero"` // of a waiting run
	Priority    string       `json:"priority,omitzero"`  // low or high, of one that is not normal
	Stopping    string       `json:"stopping,omitzero"`  // a stop was asked for: iteration, now, cancel
	Gates       []GateView   `json:"gates"`
	Issue       string       `json:"issue,omitzero"`  // that it is about: OWNER/NAME#24, or #24
	Branch      string       `json:"branch,omitzero"` // of a work tree that was made for the run
	Files       int          `json:"files"`           // changed against the start of the run
	Tree        string       `json:"tree,omitzero"`
	Seq         uint64       `json:"seq"`
	Unknown     int          `json:"unknown_events,omitzero"`
	Usage       *UsageSum    `json:"usage,omitzero"`   // of all iterations, with that under way as far as it is told
	Limits      *Budget      `json:"budget,omitzero"`  // that the run has to keep to
	Waiting     *WaitView    `json:"waiting,omitzero"` // for a limit
	// Question waits for a person; its text is cut.
	Question *QuestionView `json:"question,omitzero"`
	Driver   *DriverView   `json:"driver,omitzero"`  // of a run that a chat drives
	Account  string        `json:"account,omitzero"` // id of the account that the agent works on
	Sandbox  string        `json:"sandbox,omitzero"` // that the agent works in
	Life     *LifeView     `json:"life,omitzero"`    // of an agent that prints nothing for a while
	// Budgeted is what is used of that budget; new findings at a resume begin it
	// anew.
	Budgeted *Budget `json:"budget_used,omitzero"`
	// Changed are files that somebody else has changed before a person let the run go
	// on, until an iteration was told of them: it takes them as they are.
	Changed []string `json:"changed,omitzero"`
	// HeadMoved is how somebody else has moved HEAD before that, ditto.
	HeadMoved *HeadMoved `json:"head_moved,omitzero"`
	// InSight is only in what run answers: why nothing hides its held-out files from
	// the agent.
	InSight string `json:"in_sight,omitzero"`
	// Git are sentences on what has changed in git since the start of the run, the first
	// of them; in status and report.
	Git []string `json:"git,omitzero"`
	// IndexLock is only in what run answers: by whom git's index is locked in the work
	// tree, since when, as a sentence. The run goes on all the same.
	IndexLock string `json:"index_lock,omitzero"`
	// TaskPins is only in what run answers: globs of pinned files that the task asks
	// to change.
	TaskPins []string `json:"task_pins,omitzero"`
	// Hidden is only in what run answers: exit codes that its gates hide.
	Hidden []HiddenExit `json:"hidden,omitzero"`
	// Express is only in what run answers, alone: nothing was started, as a person is to
	// be asked first whether so small a task needs its workflow. It is what was seen in it.
	Express string `json:"express,omitzero"`
	// Published says what became of showing work that has passed on its branch.
	Published *PublishedView `json:"published,omitzero"`
	// Handoff are gates at which nobody is asked, as who started the run has handed them
	// over.
	Handoff []string `json:"handoff,omitzero"`
	// Unhanded is only in what run answers: why its gates ask, although FA_HANDOFF is 1.
	Unhanded string `json:"unhanded,omitzero"`
	// Gone says why texts, outputs and recorded trees of the run are not there.
	Gone *GoneView `json:"gone,omitzero"`
	// Imported is history of another place: nothing changes it here.
	Imported bool `json:"imported,omitzero"`
	// Language is that of the sentences about it: the user's, else that of the run.
	Language string `json:"language,omitzero"`
}

// PublishedView is work that has passed, as it is shown where people review changes.
type PublishedView struct {
	Commit  string `json:"commit,omitzero"`  // that was pushed
	Link    string `json:"link,omitzero"`    // address of the draft pull request
	Problem string `json:"problem,omitzero"` // what could not be done
}

// UsageSum is what was used, as far as it is known. The kinds of tokens do not
// overlap.
type UsageSum struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Tokens     int64 `json:"tokens"` // all kinds
	MicroUSD   int64 `json:"micro_usd"`
	Turns      int   `json:"turns,omitzero"`
	ActiveMS   int64 `json:"active_ms"` // that agents worked
	Agents     int   `json:"agents"`    // that ended
	// Of those agents: how many told no tokens, how many of them cost an unknown
	// amount, and how many one that was computed from a table of prices.
	NoTokens int `json:"tokens_unknown,omitzero"`
	NoCost   int `json:"cost_unknown,omitzero"`
	Computed int `json:"cost_computed,omitzero"`
}

// Budget is what a run, a day or a project may use; zero is no limit.
type Budget struct {
	MicroUSD int64 `json:"micro_usd,omitzero"`
	Tokens   int64 `json:"tokens,omitzero"`
	Turns    int   `json:"turns,omitzero"`
	ActiveMS int64 `json:"active_ms,omitzero"`
}

// WaitView is what a run waits for.
type WaitView struct {
	Cause   string     `json:"cause"` // rate-limited, overloaded, unreachable, slots, day-cost ...
	Account string     `json:"account,omitzero"`
	Until   time.Time  `json:"until"`
	Reset   *time.Time `json:"reset,omitzero"` // when the limit itself ends
	Source  string     `json:"source,omitzero"`
	Place   int        `json:"place,omitzero"` // in the line of runs that wait for the same, from 1
	Limit   int64      `json:"limit,omitzero"` // the user's own, in its unit
	Used    int64      `json:"used,omitzero"`
	By      string     `json:"by,omitzero"`     // of the machine: what bounds its agents: verdict, memory, max or project
	Signal  *Pressure  `json:"signal,omitzero"` // and the worst one
}

// Pressure is a measured value beside the limit that it passed, in whole bytes,
// percent or numbers.
type Pressure struct {
	Of    string `json:"of"` // the member of a reading, as in probe
	Value int64  `json:"value"`
	Limit int64  `json:"limit"`
}

// LifeView is the last sign of life of an agent beside its output.
type LifeView struct {
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"`           // cpu, files or transcript; chat: a use of a tool that its host has told of
	Calls int       `json:"calls,omitzero"` // chat: uses of tools in this iteration
}

// UsageRequest asks what agents used.
type UsageRequest struct {
	Workspace string    `json:"workspace,omitzero"` // only of this project
	Since     time.Time `json:"since,omitzero"`
	By        string    `json:"by,omitzero"`   // project, agent, model, day or run; empty is day
	Zone      string    `json:"zone,omitzero"` // IANA name, of days; empty is that of the daemon
}

// UsageReport is what agents used.
type UsageReport struct {
	Since    time.Time     `json:"since"`
	By       string        `json:"by"`
	Rows     []UsageRow    `json:"rows"` // the largest first; days in order
	Total    UsageSum      `json:"total"`
	Limits   []LimitView   `json:"limits"`   // the user's own
	Accounts []AccountView `json:"accounts"` // that have a limit now, or whose runs are live
}

// UsageRow is one part of it.
type UsageRow struct {
	Key string `json:"key"`
	UsageSum
}

// LimitView is one of the user's own limits and what is used of it.
type LimitView struct {
	Scope string    `json:"scope"` // day, or project: that of the project and day
	Kind  string    `json:"kind"`  // tokens, cost, turns or hours
	Limit int64     `json:"limit"` // tokens, millionths of a dollar, turns or milliseconds
	Used  int64     `json:"used"`
	Until time.Time `json:"until"` // when it starts anew
}

// AccountView is one login of an agent program.
type AccountView struct {
	ID      string     `json:"id"`
	Label   string     `json:"label,omitzero"` // program, and what it is known by here
	State   string     `json:"state"`          // ok, rate-limited, overloaded, unreachable, auth-failed or billing
	Until   *time.Time `json:"until,omitzero"`
	Source  string     `json:"source,omitzero"` // of that time
	Slots   int        `json:"slots,omitzero"`  // agents that may work at once; zero is any number
	Working []string   `json:"working"`         // handles of runs whose agents work
	Waiting []string   `json:"waiting"`         // handles of runs that wait, in their order
}

// GateView is one gate of a run with its latest verdict.
type GateView struct {
	Name       string      `json:"name"`
	Kind       string      `json:"kind"`
	Role       string      `json:"role"`
	Command    string      `json:"command,omitzero"`
	Files      []string    `json:"files,omitzero"`   // of an artifact, instead of a command: its globs
	Verdict    string      `json:"verdict,omitzero"` // empty before the first
	Reason     string      `json:"reason,omitzero"`
	Exit       int         `json:"exit"`
	Failing    int         `json:"failing,omitzero"`
	Before     int         `json:"failing_before,omitzero"` // at the iteration before
	DurationMS int64       `json:"duration_ms,omitzero"`
	Used       int64       `json:"used,omitzero"` // of a session: what was compared, a count, seconds, or issues of Of
	Of         int64       `json:"of,omitzero"`
	Limit      int64       `json:"limit,omitzero"` // with which, seconds or percent; of a timeout in milliseconds
	Rate       events.Rate `json:"rate,omitzero"`  // of a command that runs more than once: how many of its runs failed
	After      events.Rate `json:"after,omitzero"` // of a gate of kind red: the same with the work

	Tests    events.Executed `json:"tests,omitzero"`        // executed, as the output says
	TestsWas events.Executed `json:"tests_before,omitzero"` // at the baseline
	Baseline bool            `json:"baseline,omitzero"`     // as it was before any work, and not judged since
}

// Result is what phrase.Reason words.
func (g GateView) Result() events.GateResult {
	return events.GateResult{
		Kind: events.GateKind(g.Kind), Reason: events.Reason(g.Reason), Verdict: events.Verdict(g.Verdict), Exit: g.Exit, Used: g.Used, Of: g.Of, Limit: g.Limit,
		Rate: g.Rate, After: g.After,
	}
}

// WhyView explains a run: rule, compared values, last error, next command.
type WhyView struct {
	Run       RunView       `json:"run"`
	Rule      string        `json:"rule"`    // the rule that settled it, as "sameness"
	Because   string        `json:"because"` // one sentence
	Seq       uint64        `json:"seq"`     // the event that settled it
	Settled   *WhySettled   `json:"settled,omitzero"`
	Left      []WhyLeft     `json:"left,omitzero"` // of a run that is not over
	Tried     []WhyTried    `json:"tried,omitzero"`
	TriedMore int           `json:"tried_more,omitzero"` // earlier ones, left out
	Rows      []WhyRow      `json:"rows"`                // the iterations, oldest first
	Failing   []string      `json:"failing"`             // failing test ids of the last judged iteration, at most 20
	More      int           `json:"failing_more,omitzero"`
	Files     []string      `json:"files"` // that the verdict names
	Question  string        `json:"question,omitzero"`
	LastError string        `json:"last_error,omitzero"` // excerpt of the failing gate, or of the agent
	ErrorFrom string        `json:"error_from,omitzero"` // "gate test", "agent"
	Claims    []string      `json:"claims,omitzero"`     // what the agent said against what was seen
	Evidence  *Evidence     `json:"evidence,omitzero"`
	Summary   []SummaryPart `json:"summary,omitzero"`  // of a run that is not live, whose workflow has gates of its own
	HeldOut   *HeldOutView  `json:"held_out,omitzero"` // for people alone
	Git       *GitView      `json:"git,omitzero"`      // of a run whose repository was looked at
	Next      []NextCommand `json:"next"`
}

// HeldOutView is what people see of held-out gates, with what those that do not pass
// have printed.
type HeldOutView struct {
	HoldoutView
	Printed []HeldOutText `json:"printed,omitzero"`
}

// HeldOutText is what one of them printed.
type HeldOutText struct {
	Gate string `json:"gate"`
	Text string `json:"text"`
}

// WhyRow is one recorded iteration.
type WhyRow struct {
	Iteration      int    `json:"iteration"`
	Phase          string `json:"phase,omitzero"`
	Verdict        string `json:"verdict"`
	Tree           string `json:"tree"`
	Files          int    `json:"files"`
	Failing        int    `json:"failing"`
	FailingUnknown bool   `json:"failing_unknown,omitzero"` // no parser knew what the gates printed: failing says nothing
	Fingerprint    string `json:"fingerprint,omitzero"`
	EqualTo        int    `json:"equal_to,omitzero"` // an earlier iteration with the same fingerprint
	Signature      string `json:"signature,omitzero"`
	SignatureOf    int    `json:"signature_equal_to,omitzero"` // ditto with the same signature
	Compared       bool   `json:"compared,omitzero"`           // by the rule that halted the run
	Claim          string `json:"claim,omitzero"`
	Agent          string `json:"agent,omitzero"`     // profile that the workflow names for who worked; empty is the run's own
	Result         string `json:"result,omitzero"`    // what the end of its agent means
	Conflicts      int    `json:"conflicts,omitzero"` // signals that say otherwise
	Tokens         int64  `json:"tokens,omitzero"`
	MicroUSD       int64  `json:"micro_usd,omitzero"`
	CostFrom       string `json:"cost_from,omitzero"`
}

// Evidence is what done stands on.
type Evidence struct {
	Tree     string     `json:"tree"`
	Checkout string     `json:"checkout"` // "in place" or "clean"
	Gates    []GateView `json:"gates"`
	Pinned   int        `json:"pinned"`           // files that had to stay as they were
	Allowed  []string   `json:"allowed,omitzero"` // test files that were changed by permission
	Created  []string   `json:"created,omitzero"` // files that the gates made, left out of the tree
	Controls []Control  `json:"controls,omitzero"`
	Weaker   bool       `json:"weaker,omitzero"` // the controls were switched off, or could not be tried
	Added    *Additions `json:"added,omitzero"`
	// Bare says that pinned files are not in it, nor what texts said that are not
	// here: the run was erased, pruned or imported.
	Bare bool `json:"bare,omitzero"`
}

// Additions stand beside the verdict of a run: suppressions and tests that it added, and
// files that its tree does not hold.
type Additions struct {
	Suppressions     []Suppression `json:"suppressions,omitzero"` // by file and line
	MoreSuppressions int           `json:"more_suppressions,omitzero"`
	Tests            []string      `json:"tests,omitzero"` // files that look like tests, sorted
	MoreTests        int           `json:"more_tests,omitzero"`
	Unread           int           `json:"unread,omitzero"` // files that were too many or too large to be looked at
	Unrecorded       []Unrecorded  `json:"unrecorded,omitzero"`
	MoreUnrecorded   int           `json:"more_unrecorded,omitzero"`
}

// Unrecorded is a path of the work tree that gates may have read and whose content is not
// in the tree that passed.
type Unrecorded struct {
	Path string `json:"path"`
	Why  string `json:"why"` // large: its size and hash are recorded; unreadable: a pipe, a socket, a device, or what cannot be read
}

// Suppression is a place where the work keeps a linter, a type checker, a coverage
// tool, a test runner or a scanner from telling.
type Suppression struct {
	Kind  string `json:"kind"`  // as people know it: noqa, nolint, test.skip ...
	Class string `json:"class"` // what it is kept from: lint, types, coverage, tests or security
	File  string `json:"file"`
	Line  int    `json:"line"` // in the file as it is now
}

// Control is what became of one control: start-proof or still-red.
type Control struct {
	Name     string   `json:"name"`
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason"`
	Files    []string `json:"files,omitzero"`    // that it names
	Accepted bool     `json:"accepted,omitzero"` // a person has accepted the work all the same
}

// NextCommand is a command that a person may want now.
type NextCommand struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// JSON envelopes: every --json answer is {"schema": name, "version": n,
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
	// SchemaNotification is what commands of notify rules read on their standard
	// input and what webhooks are sent.
	SchemaNotification = "autopilot.notification"
)

// Envelope wraps a --json answer.
type Envelope struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Data    any    `json:"data"`
}

// HeadMoved is from where to where HEAD was moved, each as a branch and a commit.
type HeadMoved struct {
	From string `json:"from"`
	To   string `json:"to"`
}
