package wire

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
)

// RunSpec is what a run is asked to do. It is stored with the run.
type RunSpec struct {
	Workspace     string              `json:"workspace"` // absolute; any directory in a git work tree
	Task          string              `json:"task,omitzero"`
	TaskRef       events.Ref          `json:"task_ref,omitzero"` // instead of Task when it is large
	Workflow      string              `json:"workflow"`
	Gates         []GateSpec          `json:"gates"`
	Protect       []string            `json:"protect,omitzero"`        // further pinned globs
	AllowTests    []string            `json:"allow_tests,omitzero"`    // globs taken out of the pins; "**" is all
	Agent         AgentSpec           `json:"agent"`                   // with a driver: of those who look, and may be none
	Crew          []AgentSpec         `json:"crew,omitzero"`           // set by the daemon: the profiles that the workflow names, each once
	Driver        events.Driver       `json:"driver,omitzero"`         // who does the work
	Answers       events.Assurance    `json:"answers,omitzero"`        // session: that chat may answer. The settings alone say so
	Setup         string              `json:"setup,omitzero"`          // run by /bin/sh -c in a clean checkout, before its gates
	Checkout      events.Checkout     `json:"checkout,omitzero"`       // where gates have to pass before done
	Roles         map[string][]string `json:"roles,omitzero"`          // set by the daemon: profiles that the settings name for roles of workflows
	Inputs        map[string]string   `json:"inputs,omitzero"`         // of the workflow, by name: as typed, and then with all that the run found
	Issue         string              `json:"issue,omitzero"`          // that it is about: an Issue, with or without its repository
	Branch        string              `json:"branch,omitzero"`         // of a work tree that was made for the run
	From          string              `json:"from,omitzero"`           // the work tree that it was made from: its settings count, and the run is found from there
	MaxIterations int                 `json:"max_iterations,omitzero"` // 0 is the workflow's default
	ForMS         int64               `json:"for_ms,omitzero"`
	UntilMS       int64               `json:"until_ms,omitzero"` // Unix milliseconds
	Priority      string              `json:"priority,omitzero"` // low, normal or high, among those that wait for the machine; empty is what the settings say
	Start         events.Start        `json:"start,omitzero"`
	StartBroken   bool                `json:"start_broken,omitzero"`  // a goal may fail at the start before it tests anything
	Below         string              `json:"below,omitzero"`         // set by the daemon: where in the work tree it was typed, relative to the root
	MaxMicroUSD   int64               `json:"max_micro_usd,omitzero"` // millionths of a dollar
	MaxTokens     int64               `json:"max_tokens,omitzero"`    // of all kinds
	MaxTurns      int                 `json:"max_turns,omitzero"`     // of the agent, over all iterations
	NoWait        bool                `json:"no_wait,omitzero"`       // halt instead of waiting for a limit
	NoControls    bool                `json:"no_controls,omitzero"`   // done without the controls: it proves less
	Timeouts      Timeouts            `json:"timeouts,omitzero"`      // of single processes
	Sandbox       events.Sandbox      `json:"sandbox,omitzero"`       // empty is what the settings say
	SandboxAllow  []string            `json:"sandbox_allow,omitzero"` // paths and words that stay in reach all the same
	Git           GitRules            `json:"git,omitzero"`           // what the run does not allow in git
	Holdout       HoldoutSpec         `json:"holdout,omitzero"`       // not stored with the rest: agents may not read it
}

// The values of GitRules. An empty one is what the settings say, and then the second.
const (
	GitDeny  = "deny"
	GitAllow = "allow"
	GitKeep  = "keep"
	GitAny   = "any"
)

// GitRules say what a run does not allow in git.
type GitRules struct {
	Push    string `json:"push,omitzero"`    // deny or allow
	History string `json:"history,omitzero"` // keep or any
}

// Denies says that there is something that is not allowed.
func (g GitRules) Denies() bool { return g.Push == GitDeny || g.History == GitKeep }

// Timeouts bound single process trees, in milliseconds. In a spec zero is what the
// workflow says; -1 is no limit.
type Timeouts struct {
	IdleMS    int64 `json:"idle_ms,omitzero"`    // an agent without output, CPU time or a changed file
	AttemptMS int64 `json:"attempt_ms,omitzero"` // one agent
	GateMS    int64 `json:"gate_ms,omitzero"`    // one command of a gate
}

// HigherLimit says that a limit in milliseconds allows more than another, as those of
// Timeouts in effect.
func HigherLimit(a, than int64) bool { return than >= 0 && a != than && (a < 0 || a > than) }

// LowerLimit is the lower one of two that are set; zero is not.
func LowerLimit(a, b int64) int64 {
	if a == 0 || b != 0 && HigherLimit(a, b) {
		return b
	}
	return a
}

// HoldoutSpec are gates that run with files which agents do not see.
type HoldoutSpec struct {
	Dir   string     `json:"dir,omitzero"` // absolute; its files are laid over the work tree for these gates
	Gates []GateSpec `json:"gates,omitzero"`
}

// GateSpec is one gate as given: a command, or files.
type GateSpec struct {
	Name    events.Name     `json:"name"`
	Kind    events.GateKind `json:"kind,omitzero"` // empty is command
	Role    events.GateRole `json:"role"`
	Command string          `json:"command,omitzero"` // run by /bin/sh -c
	Files   []string        `json:"files,omitzero"`   // of an artifact: globs, relative to the workspace
}

// HiddenExit is what keeps an exit code of a gate from being seen: the gate can pass
// although a part of it fails.
type HiddenExit struct {
	Gate    events.Name `json:"gate"`
	Where   string      `json:"where,omitzero"`   // what the gate runs that has it, as "script test of package.json"; empty is its command
	What    string      `json:"what"`             // a pipe, || true, ; echo, &, a loop, if, !, - or an option
	Instead string      `json:"instead,omitzero"` // a command that hides nothing, where one is known
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
	// Argv and Prompt are set by the daemon when a run starts, so that a new
	// version of a profile changes nothing for it.
	Argv   []string `json:"argv,omitzero"`
	Prompt string   `json:"prompt,omitzero"` // stdin (the default) or file
	// Shape is how a call is made to go on in a session, to keep to a budget, and
	// how its output is read: an agent.Shape.
	Shape jsontext.Value `json:"shape,omitzero"`
	// Account is what the account that it works on is called here.
	Account string `json:"account,omitzero"`
}

// StartRequest starts a run, or with preview says what it would be.
type StartRequest struct {
	Spec RunSpec  `json:"spec"`
	Env  []string `json:"env"` // allow-listed environment of the caller, NAME=VALUE
	// Outputs are files that the caller writes what it is told to, as with
	// nohup: below the workspace they are left out of recorded trees.
	Outputs []string `json:"outputs,omitzero"`
	// Settings are those that the caller's environment holds, by key.
	Settings map[string]string `json:"settings,omitzero"`
	NoConfig bool              `json:"no_config,omitzero"` // the project's configuration is not read
	Findings string            `json:"findings,omitzero"`  // for the first work: JSON, see ParseFindings
	Advise   bool              `json:"advise,omitzero"`    // a person can be asked whether the task needs its workflow
	Handoff  bool              `json:"handoff,omitzero"`   // the person who asks hands over the approvals that the workflow lets go
	PIN      string            `json:"pin,omitzero"`       // for that, where one is set
	Inputs   map[string]string `json:"-"`                  // set by the daemon: what the settings say of inputs
	Trusted  *Timeouts         `json:"-"`                  // set by the daemon where a chat asks: what the settings say, which it cannot raise
	Standing []events.Name     `json:"-"`                  // set by the daemon: gates that are those of the settings, held-out ones too
}

// Preview is the answer of run.preview: everything that a run would use.
type Preview struct {
	Prompt      string          `json:"prompt"`
	Argv        []string        `json:"argv"`                 // of the run's own agent; empty where nobody needs one
	Crews       []CrewView      `json:"crews,omitzero"`       // roles whose agents the workflow names
	Permissions string          `json:"permissions,omitzero"` // what a profile may do unasked, in one line
	AgentEnv    []string        `json:"agent_env"`            // names only
	GateEnv     []string        `json:"gate_env"`             // names only
	Path        []string        `json:"path"`                 // pinned for gates
	Gates       []GateSpec      `json:"gates"`
	Setup       string          `json:"setup,omitzero"`     // prepares a clean checkout
	Checkout    events.Checkout `json:"checkout,omitzero"`  // where gates have to pass before done
	Pinned      int             `json:"pinned"`             // number of pinned files
	Pins        []PinGroup      `json:"pins,omitzero"`      // the pinned files, by why they are
	TaskPins    []string        `json:"task_pins,omitzero"` // globs of pinned files that the task asks to change
	Hidden      []HiddenExit    `json:"hidden,omitzero"`    // exit codes that gates hide
	Workspace   string          `json:"workspace"`
	Iterations  int             `json:"iterations"`
	Timeouts    Timeouts        `json:"timeouts,omitzero"` // in effect
	Budgets     []BudgetView    `json:"budgets,omitzero"`  // of the phases, where there are several
	EndsBy      *time.Time      `json:"ends_by,omitzero"`
	Workflow    string          `json:"workflow"`
	// Settings are those that were not typed, and where they come from.
	Settings []ConfigValue `json:"settings,omitzero"`
	Holdout  *HoldoutView  `json:"holdout,omitzero"`
}

// HoldoutView is what people see of held-out gates.
type HoldoutView struct {
	Dir   string     `json:"dir"`
	Files int        `json:"files"`
	Gates []GateSpec `json:"gates"`
	// InSight says why nothing hides the files from the agent; empty: they are hidden.
	InSight string `json:"in_sight,omitzero"`
}

// MostPinned bounds the files that a PinGroup lists.
const MostPinned = 200

// PinGroup is files that are pinned for one reason.
type PinGroup struct {
	Why   string   `json:"why"`            // gate, sourced, run, target, script, include, config, helper, failing, role, name, protect
	By    string   `json:"by,omitzero"`    // the script, target or glob that it is
	Files []string `json:"files,omitzero"` // the first of them
	Count int      `json:"count"`
}

// CrewView is a role whose agents the workflow names.
type CrewView struct {
	Role   string      `json:"role"`
	Phases []string    `json:"phases,omitzero"` // in which it works
	Agents []CrewAgent `json:"agents"`          // the first one begins; the next one goes on after a phase that failed
}

// CrewAgent is one agent of a role, as it would be called.
type CrewAgent struct {
	Agent       string   `json:"agent"` // profile
	Account     string   `json:"account,omitzero"`
	Argv        []string `json:"argv"`
	Permissions string   `json:"permissions,omitzero"` // what it may do unasked, in one line
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
	// Language is that of the user, of all that is about no run.
	Language string `json:"language,omitzero"`
}

// StopRequest stops runs.
type StopRequest struct {
	RunRef
	Now bool `json:"now,omitzero"` // end the agent, else after this iteration
	All bool `json:"all,omitzero"` // every live run
}

// StopReply names what was told to stop.
type StopReply struct {
	Runs []RunView `json:"runs"`
}

// ResumeRequest continues a halted run.
type ResumeRequest struct {
	RunRef
	Note string `json:"note,omitzero"`
	// Findings go to the earliest phase that works, or to Phase, which is no later
	// one than the present.
	Findings string `json:"findings,omitzero"` // JSON, see ParseFindings
	Phase    string `json:"phase,omitzero"`
	Typed    string `json:"typed,omitzero"` // after drift: the handle, at the terminal
	PIN      string `json:"pin,omitzero"`   // instead of that, where one is set
}

// EventsRequest asks for events of a run, or of all aggregates.
type EventsRequest struct {
	RunRef
	Every  bool   `json:"every,omitzero"` // all aggregates, in stored order
	After  uint64 `json:"after,omitzero"` // sequence within the run
	Cursor string `json:"cursor,omitzero"`
	Follow bool   `json:"follow,omitzero"`
	// Only those whose type matches one of the patterns, its version written or
	// not, and that are not older.
	Types []string  `json:"types,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

// EventFrame is one event as it is stored, or the end of a stream.
type EventFrame struct {
	Cursor  string         `json:"cursor,omitzero"`  // to go on behind it
	Event   jsontext.Value `json:"event,omitzero"`   // absent where it is damaged, and at the end
	Line    string         `json:"line,omitzero"`    // what happened, one line for people; only of one run
	Damaged string         `json:"damaged,omitzero"` // what is wrong with what is stored
	End     bool           `json:"end,omitzero"`     // nothing follows now; cursor is the place to go on from
}

// LogsRequest asks for what agent and gates printed.
type LogsRequest struct {
	RunRef
	Iteration int    `json:"iteration,omitzero"` // 0 is the latest, -1 all
	Gate      string `json:"gate,omitzero"`      // only this gate, and who looked for it
	Role      string `json:"role,omitzero"`      // only sessions of this role
	Only      string `json:"only,omitzero"`      // "agent" or "gate"
	Follow    bool   `json:"follow,omitzero"`
}

// LogFrame is a piece of output.
type LogFrame struct {
	Iteration int    `json:"iteration"`
	Attempt   int    `json:"attempt,omitzero"`
	Source    string `json:"source"`         // "agent", "role", or the gate's name
	Role      string `json:"role,omitzero"`  // of a session that looks
	Gate      string `json:"gate,omitzero"`  // that it looks for
	Agent     string `json:"agent,omitzero"` // profile, where the workflow names it
	Stream    string `json:"stream,omitzero"`
	Gap       int64  `json:"gap,omitzero"` // bytes right before Data that were not kept
	Data      []byte `json:"data"`         // base64 in JSON: output has no encoding
	// Format is the agent whose stream Data is a piece of, where it is known: then
	// Text is what people read instead, of the lines that end in Data.
	Format string `json:"format,omitzero"`
	Text   string `json:"text,omitzero"`
	Note   string `json:"note,omitzero"` // of the daemon, about what came before; then there is no Data
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

// WatchFrame is a change of a run, or a sign of life of it.
type WatchFrame struct {
	View RunView   `json:"view"`
	Line string    `json:"line,omitzero"` // what happened, one line for people, when an event caused the frame
	Seq  uint64    `json:"seq,omitzero"`
	At   time.Time `json:"at,omitzero"`
	Bell bool      `json:"bell,omitzero"` // a notify rule wants the terminal to ring
}

// VerifyRequest asks for proof of one run, or of every aggregate.
type VerifyRequest struct {
	RunRef
	Every bool `json:"every,omitzero"`
}

// VerifyReply is what was proven.
type VerifyReply struct {
	Aggregates int       `json:"aggregates"`
	Events     int       `json:"events"`
	Unknown    int       `json:"unknown"`  // events of types that this version does not know
	Rebuilt    int       `json:"rebuilt"`  // projections built anew and found equal to the live ones
	Sealed     int       `json:"sealed"`   // events that are the ones which were acknowledged, by their seals
	Texts      int       `json:"texts"`    // that are named, there, and what their names say; each counts once
	Gone       int       `json:"gone"`     // texts that are named and were erased or pruned
	Bundles    int       `json:"bundles"`  // of the archive, that are whole
	Problems   []Problem `json:"problems"` // empty when all is well
}

// Problem is one thing that verify found wrong.
type Problem struct {
	Aggregate string `json:"aggregate"` // or "log" where no event can be named, then seq is a position in it
	Seq       uint64 `json:"seq"`
	Position  uint64 `json:"position,omitzero"` // of the event in the log, where it is known
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
	Effects    int        `json:"effects"` // supervised processes now
	Events     uint64     `json:"events"`
	StoreBytes int64      `json:"store_bytes"`
	StoreQuota int64      `json:"store_quota"`
	Durability string     `json:"durability"`
	Draining   bool       `json:"draining,omitzero"`
	IdleEnds   *time.Time `json:"idle_ends,omitzero"`
	// Service is what started the daemon: systemd or launchd; empty when a command
	// did, on demand.
	Service  string        `json:"service,omitzero"`
	Settings string        `json:"settings_problem,omitzero"` // why the user's file cannot be used now
	Notify   *NotifyStatus `json:"notify,omitzero"`
	Team     *TeamView     `json:"team,omitzero"`   // whom claims and accounts are shared with; absent is nobody
	Listen   *ListenView   `json:"listen,omitzero"` // where other NATS clients are let in; absent is nowhere
}

// DaemonStopRequest ends the daemon. Effects go on and are found again.
type DaemonStopRequest struct {
	Drain bool `json:"drain,omitzero"` // wait for live iterations first
}

// BlobReply names a stored text.
type BlobReply struct {
	Ref events.Ref `json:"ref"`
}
