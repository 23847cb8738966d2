package wire

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
)

// RunSpec is what a caller asks a run to be. The daemon stores a stored.Spec.
type RunSpec struct {
	Workspace     string            `json:"workspace"` // absolute; any directory in a git work tree
	Task          string            `json:"task,omitzero"`
	TaskRef       events.Ref        `json:"task_ref,omitzero"` // instead of Task when it is large
	Workflow      string            `json:"workflow"`
	Gates         []GateSpec        `json:"gates"`
	Protect       []string          `json:"protect,omitzero"`        // further pinned globs
	AllowTests    []string          `json:"allow_tests,omitzero"`    // globs taken out of the pins; "**" is all
	Agent         AgentSpec         `json:"agent"`                   // with a driver: of the roles, and may be empty
	Driver        events.Driver     `json:"driver,omitzero"`         // who does the work
	Setup         string            `json:"setup,omitzero"`          // run by /bin/sh -c in a clean checkout, before its gates
	Checkout      events.Checkout   `json:"checkout,omitzero"`       // where gates must pass before done
	Inputs        map[string]string `json:"inputs,omitzero"`         // inputs of the workflow, by name: as typed, and later also as found
	Issue         string            `json:"issue,omitzero"`          // subject of the run: an Issue, with or without repository
	Branch        string            `json:"branch,omitzero"`         // of a work tree that was made for the run
	From          string            `json:"from,omitzero"`           // the original of that work tree: its settings count, and the run is found from there
	MaxIterations int               `json:"max_iterations,omitzero"` // 0 is the workflow's default
	ForMS         int64             `json:"for_ms,omitzero"`
	UntilMS       int64             `json:"until_ms,omitzero"` // Unix milliseconds
	Priority      string            `json:"priority,omitzero"` // low, normal or high, in the line for the machine; empty: as the settings say
	Start         events.Start      `json:"start,omitzero"`
	StartBroken   bool              `json:"start_broken,omitzero"`  // a goal may fail at the start before it tests anything
	Halfway       bool              `json:"halfway,omitzero"`       // it may begin inside a rebase, a merge or a conflict
	MaxMicroUSD   int64             `json:"max_micro_usd,omitzero"` // millionths of a dollar
	MaxTokens     int64             `json:"max_tokens,omitzero"`    // of all kinds
	MaxTurns      int               `json:"max_turns,omitzero"`     // of the agent, over all iterations
	NoWait        bool              `json:"no_wait,omitzero"`       // halt instead of waiting for a limit
	NoControls    bool              `json:"no_controls,omitzero"`   // done without the controls: it proves less
	Timeouts      Timeouts          `json:"timeouts,omitzero"`      // of single processes
	Sandbox       events.Sandbox    `json:"sandbox,omitzero"`       // empty: as the settings say
	SandboxAllow  []string          `json:"sandbox_allow,omitzero"` // paths and words that stay in reach
	Git           GitRules          `json:"git,omitzero"`           // what the run forbids in git
	Holdout       HoldoutSpec       `json:"holdout,omitzero"`       // stored apart: agents may not read it
	Series        SeriesSpec        `json:"series,omitzero"`        // of a workflow whose iterations are whole sessions
}

// SeriesSpec bounds whole sessions in a row. Zero takes the default.
type SeriesSpec struct {
	Sessions   int      `json:"sessions,omitzero"`
	Hours      float64  `json:"hours,omitzero"`
	Confidence *float64 `json:"confidence,omitzero"` // of a mode that runs without a person
}

// GitRules say what a run forbids in git. An empty rule takes the settings, then the
// second value.
type GitRules struct {
	Push    string `json:"push,omitzero"`    // deny or allow
	History string `json:"history,omitzero"` // keep or any
}

// Timeouts bound single process trees, in milliseconds. In a spec, zero takes the limit
// of the workflow, and -1 is no limit.
type Timeouts struct {
	IdleMS    int64 `json:"idle_ms,omitzero"`    // an agent without output, CPU time or a changed file
	AttemptMS int64 `json:"attempt_ms,omitzero"` // one agent
	GateMS    int64 `json:"gate_ms,omitzero"`    // one command of a gate
}

// HoldoutSpec has gates that run with files hidden from agents.
type HoldoutSpec struct {
	Dir   string     `json:"dir,omitzero"` // absolute; laid over the work tree for these gates
	Gates []GateSpec `json:"gates,omitzero"`
}

// GateSpec is one gate as the user typed it: a command, or files.
type GateSpec struct {
	Name    events.Name     `json:"name"`
	Kind    events.GateKind `json:"kind,omitzero"` // empty is command
	Role    events.GateRole `json:"role"`
	Command string          `json:"command,omitzero"` // run by /bin/sh -c
	Files   []string        `json:"files,omitzero"`   // of an artifact: globs, relative to the workspace
}

// HiddenExit is a construct that hides an exit code of a gate: the gate can pass although
// a part of it fails.
type HiddenExit struct {
	Gate    events.Name `json:"gate"`
	Where   string      `json:"where,omitzero"`   // place of the construct, as "script test of package.json"; empty is the gate's command
	What    string      `json:"what"`             // a pipe, || true, ; echo, &, a loop, if, !, - or an option
	Instead string      `json:"instead,omitzero"` // a command that hides nothing, if one is known
}

// MissingProgram is a program that the command of a gate looks for, and that is not on the
// PATH of the gates.
type MissingProgram struct {
	Gate    events.Name `json:"gate"`
	Phase   events.Name `json:"phase,omitzero"` // empty: a gate of the whole run
	Program string      `json:"program"`
}

// AgentSpec names the agent: exactly one of Command, Script and Profile. The
// fields below Profile go with it.
type AgentSpec struct {
	Command     string   `json:"command,omitzero"`     // run by /bin/sh -c
	Script      string   `json:"script,omitzero"`      // text of a script agent's YAML
	Profile     string   `json:"profile,omitzero"`     // name of a shipped or configured profile
	Model       string   `json:"model,omitzero"`       // empty is the program's own choice
	Permissions string   `json:"permissions,omitzero"` // "full", or empty for the profile's own
	Args        []string `json:"args,omitzero"`        // further arguments
}

// StartRequest starts a run; with preview it asks what the run would be.
type StartRequest struct {
	Spec RunSpec  `json:"spec"`
	Env  []string `json:"env"` // allow-listed environment of the caller, NAME=VALUE
	// Outputs are files that the caller writes its own output to, as with nohup. Recorded
	// trees leave them out below the workspace.
	Outputs []string `json:"outputs,omitzero"`
	// Settings are those in the caller's environment, by key.
	Settings map[string]string `json:"settings,omitzero"`
	NoConfig bool              `json:"no_config,omitzero"` // without the project's configuration
	Findings string            `json:"findings,omitzero"`  // for the first work: JSON, see ParseFindings
	Advise   bool              `json:"advise,omitzero"`    // the caller can ask a person about the workflow
	Handoff  bool              `json:"handoff,omitzero"`   // the caller hands over the approvals that the workflow allows to
	PIN      string            `json:"pin,omitzero"`       // for the hand-off, where a PIN is set
}

// ProgressRequest asks how far a request for a run or a preview is.
type ProgressRequest struct {
	Request string `json:"request"` // id of that request
}

// ProgressView counts the files of the work tree that have to be recorded one by one.
// Both numbers are 0 before the daemon knows them, and once the request is answered.
type ProgressView struct {
	Done int64 `json:"done"`
	All  int64 `json:"all"`
}

// Preview is the answer of run.preview: everything that the run would use.
type Preview struct {
	Prompt      string          `json:"prompt"`
	Argv        []string        `json:"argv"`                 // of the run's own agent; empty where it needs none
	Crews       []CrewView      `json:"crews,omitzero"`       // roles whose agents the workflow names
	Permissions string          `json:"permissions,omitzero"` // what a profile may do unasked, in one line
	AgentEnv    []string        `json:"agent_env"`            // names only
	GateEnv     []string        `json:"gate_env"`             // names only
	Path        []string        `json:"path"`                 // pinned for gates
	Gates       []GateSpec      `json:"gates"`
	Setup       string          `json:"setup,omitzero"`     // prepares a clean checkout
	Checkout    events.Checkout `json:"checkout,omitzero"`  // where gates must pass before done
	Pinned      int             `json:"pinned"`             // number of pinned files
	Pins        []PinGroup      `json:"pins,omitzero"`      // the pinned files, by reason
	TaskPins    []string        `json:"task_pins,omitzero"` // globs of pinned files that the task asks to change
	Hidden      []HiddenExit    `json:"hidden,omitzero"`    // exit codes that gates hide

	Lacks      []MissingProgram `json:"lacks,omitzero"` // programs that gates look for, and that this host lacks
	Workspace  string           `json:"workspace"`
	Iterations int              `json:"iterations"`
	Timeouts   Timeouts         `json:"timeouts,omitzero"` // in effect
	Budgets    []BudgetView     `json:"budgets,omitzero"`  // of the phases, where there are several
	EndsBy     *time.Time       `json:"ends_by,omitzero"`
	Workflow   string           `json:"workflow"`
	// Settings are those that the user did not type, with their source.
	Settings []ConfigValue  `json:"settings,omitzero"`
	Holdout  *HoldoutView   `json:"holdout,omitzero"`
	Series   *SeriesPreview `json:"series,omitzero"` // of a workflow whose iterations are whole sessions
}

// SeriesPreview is how whole sessions in a row would begin.
type SeriesPreview struct {
	Sessions   int     `json:"sessions"` // at most
	Hours      float64 `json:"hours"`
	Tokens     int64   `json:"tokens,omitzero"`
	Threshold  float64 `json:"threshold"`     // least confidence of a mode that runs by itself
	Mode       string  `json:"mode,omitzero"` // of the first session
	Confidence float64 `json:"confidence"`
	Rationale  string  `json:"rationale,omitzero"`
	Runs       bool    `json:"runs"`              // without a person
	Selector   string  `json:"selector,omitzero"` // command that would be asked for the mode
	Verdict    string  `json:"verdict,omitzero"`  // on the machine
	Cap        int     `json:"cap"`               // of sub-agents, -1 for none
	Peers      int     `json:"peers"`             // other sessions, -1 is unknown
}

// HoldoutView is what people see of held-out gates.
type HoldoutView struct {
	Dir   string     `json:"dir"`
	Files int        `json:"files"`
	Gates []GateSpec `json:"gates"`
	// InSight says why the agent can see the files; empty: they are hidden.
	InSight string `json:"in_sight,omitzero"`
}

// MostPinned bounds the files of a PinGroup.
const MostPinned = 200

// PinGroup lists files that are pinned for the same reason.
type PinGroup struct {
	Why   string   `json:"why"`            // gate, sourced, run, target, script, include, config, helper, failing, role, name, protect
	By    string   `json:"by,omitzero"`    // the script, target or glob of that reason
	Files []string `json:"files,omitzero"` // the first of them
	Count int      `json:"count"`
}

// CrewView is a role with agents from the workflow.
type CrewView struct {
	Role   string      `json:"role"`
	Phases []string    `json:"phases,omitzero"` // phases that the role works in
	Agents []CrewAgent `json:"agents"`          // the first agent begins; the next one follows after a failed phase
}

// CrewAgent is one agent of a role with its command line.
type CrewAgent struct {
	Agent       string   `json:"agent"` // profile
	Account     string   `json:"account,omitzero"`
	Argv        []string `json:"argv"`
	Permissions string   `json:"permissions,omitzero"` // permissions without asking, in one line
	Env         []string `json:"env"`                  // names only
}

// RunRef names a run: an id, a handle, or empty for the latest of Workspace.
type RunRef struct {
	Run       string `json:"run,omitzero"`
	Workspace string `json:"workspace,omitzero"` // directory of the caller
	LiveOnly  bool   `json:"live_only,omitzero"` // empty Run means the only live run here
}

// ListRequest asks for runs, newest first.
type ListRequest struct {
	Workspace string `json:"workspace,omitzero"` // only of this directory
	All       bool   `json:"all,omitzero"`       // finished ones too, else live and halted ones and the last ten
	Limit     int    `json:"limit,omitzero"`
}

// ListReply is the answer of run.list.
type ListReply struct {
	Runs []RunView `json:"runs"`
	More int       `json:"more,omitzero"` // left out
	// Language is the user's language for texts about no run.
	Language string `json:"language,omitzero"`
}

// StopRequest stops runs.
type StopRequest struct {
	RunRef
	Now bool `json:"now,omitzero"` // end the agent, else after this iteration
	All bool `json:"all,omitzero"` // every live run
}

// StopReply names the runs under a stop request.
type StopReply struct {
	Runs []RunView `json:"runs"`
}

// ResumeRequest continues a halted run.
type ResumeRequest struct {
	RunRef
	Note string `json:"note,omitzero"`
	// Findings go to the earliest phase that works, or to Phase. Phase must not be behind
	// the present one.
	Findings string `json:"findings,omitzero"` // JSON, see ParseFindings
	Phase    string `json:"phase,omitzero"`
	Typed    string `json:"typed,omitzero"` // after drift: the handle, at the terminal
	PIN      string `json:"pin,omitzero"`   // in place of typed, where a PIN is set
}

// EventsRequest asks for events of a run, or of all aggregates.
type EventsRequest struct {
	RunRef
	Every  bool   `json:"every,omitzero"` // all aggregates, in stored order
	After  uint64 `json:"after,omitzero"` // sequence within the run
	Cursor string `json:"cursor,omitzero"`
	Follow bool   `json:"follow,omitzero"`
	// Types are patterns of event types, with or without version. Events must match one,
	// and must not be older than Since.
	Types []string  `json:"types,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

// EventFrame is one stored event, or the end of a stream.
type EventFrame struct {
	Cursor  string         `json:"cursor,omitzero"`  // position to go on from
	Event   jsontext.Value `json:"event,omitzero"`   // absent where it is damaged, and at the end
	Line    string         `json:"line,omitzero"`    // what happened, one line for people; only of one run
	Damaged string         `json:"damaged,omitzero"` // damage of the stored event
	End     bool           `json:"end,omitzero"`     // nothing follows now; cursor is the place to go on from
}

// LogsRequest asks for the output of agents and gates.
type LogsRequest struct {
	RunRef
	Iteration int    `json:"iteration,omitzero"` // 0 is the latest, -1 all
	Gate      string `json:"gate,omitzero"`      // only this gate, and roles that look for it
	Role      string `json:"role,omitzero"`      // only sessions of this role
	Only      string `json:"only,omitzero"`      // "agent" or "gate"
	Follow    bool   `json:"follow,omitzero"`
}

// LogFrame is a piece of output.
type LogFrame struct {
	Iteration int    `json:"iteration"`
	Attempt   int    `json:"attempt,omitzero"`
	Source    string `json:"source"`         // "agent", "role", or the gate's name
	Role      string `json:"role,omitzero"`  // of a session of a role
	Gate      string `json:"gate,omitzero"`  // gate that the role looks for
	Agent     string `json:"agent,omitzero"` // profile, where the workflow names it
	Stream    string `json:"stream,omitzero"`
	Gap       int64  `json:"gap,omitzero"` // missing bytes before Data
	Data      []byte `json:"data"`         // base64 in JSON: output has no encoding
	// Format is the agent program whose stream Data is from, if known. Then people read
	// Text, for the lines that end in Data.
	Format string `json:"format,omitzero"`
	Text   string `json:"text,omitzero"`
	Note   string `json:"note,omitzero"` // of the daemon, about the output before; Data is then absent
}

// DiffRequest asks for a unified diff between recorded trees.
type DiffRequest struct {
	RunRef
	Range string `json:"range,omitzero"` // "", "K" or "A..B"; 0 is the start
	Stat  bool   `json:"stat,omitzero"`
}

// WatchRequest follows a run until it needs nothing more or the client leaves.
type WatchRequest struct {
	RunRef
	After uint64 `json:"after,omitzero"` // no lines for events up to here
}

// WatchFrame is a change or a sign of life of a run.
type WatchFrame struct {
	View RunView   `json:"view"`
	Line string    `json:"line,omitzero"` // what happened, one line for people, when an event caused the frame
	Seq  uint64    `json:"seq,omitzero"`
	At   time.Time `json:"at,omitzero"`
	Bell bool      `json:"bell,omitzero"` // a notify rule rings the terminal
}

// VerifyRequest asks for proof of one run, or of every aggregate.
type VerifyRequest struct {
	RunRef
	Every bool `json:"every,omitzero"`
}

// VerifyReply is the extent of the proof.
type VerifyReply struct {
	Aggregates int        `json:"aggregates"`
	Events     int        `json:"events"`
	Unknown    int        `json:"unknown"`       // events of types unknown to this version
	Rebuilt    int        `json:"rebuilt"`       // projections rebuilt and equal to the live ones
	Sealed     int        `json:"sealed"`        // events that equal the acknowledged ones, by their seals
	Texts      int        `json:"texts"`         // named texts that exist and match their refs; each counts once
	Gone       int        `json:"gone"`          // named texts that were erased or pruned
	Bundles    int        `json:"bundles"`       // whole bundles in the archive
	Problems   []Problem  `json:"problems"`      // empty when all is well
	Team       *TeamProof `json:"team,omitzero"` // of the log of the team; absent where there is none, and of one run
}

// Problem is one fault that verify found.
type Problem struct {
	Aggregate string `json:"aggregate"` // or "log" where no event can be named; then seq is a position in it
	Seq       uint64 `json:"seq"`
	Position  uint64 `json:"position,omitzero"` // of the event in the log, if known
	What      string `json:"what"`
}

// DaemonView is the answer of daemon.status.
type DaemonView struct {
	Version    string     `json:"version"`
	PID        int        `json:"pid"`
	Started    time.Time  `json:"started"`
	State      string     `json:"state_dir"`
	Socket     string     `json:"socket"`
	Log        string     `json:"log"`
	Live       int        `json:"live"`
	Runs       int        `json:"runs"`
	Effects    int        `json:"effects"` // supervised processes at present
	Events     uint64     `json:"events"`
	StoreBytes int64      `json:"store_bytes"`
	StoreQuota int64      `json:"store_quota"`
	Durability string     `json:"durability"`
	Draining   bool       `json:"draining,omitzero"`
	IdleEnds   *time.Time `json:"idle_ends,omitzero"`
	// Service is systemd or launchd, where one of them started the daemon. It is empty
	// where a command did, on demand.
	Service  string        `json:"service,omitzero"`
	Settings string        `json:"settings_problem,omitzero"` // why the user's file is unusable now
	Notify   *NotifyStatus `json:"notify,omitzero"`
	Team     *TeamView     `json:"team,omitzero"`   // servers for shared claims and accounts; absent is none
	Listen   *ListenView   `json:"listen,omitzero"` // where other NATS clients connect; absent is nowhere
}

// DaemonStopRequest ends the daemon. Effects go on and are found again.
type DaemonStopRequest struct {
	Drain bool `json:"drain,omitzero"` // wait for live iterations first
}

// BlobReply names a stored text.
type BlobReply struct {
	Ref events.Ref `json:"ref"`
}

// HolderView is the process that holds the state directory, as autopilotd holder prints
// it.
type HolderView struct {
	PID   int  `json:"pid"`   // as its lock says; 0 if it does not
	Held  bool `json:"held"`  // somebody holds it now
	Known bool `json:"known"` // that process lives, by pid, start time and boot
}
