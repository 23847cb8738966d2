package wire

import (
	"time"
)

// RunView is a run as people and programs see it. Fields are only ever added.
type RunView struct {
	ID          string     `json:"id"`
	Handle      string     `json:"handle"`
	State       string     `json:"state"`           // running, waiting, halted, done, ended, already-green, cancelled, failed, refused
	Reason      string     `json:"reason,omitzero"` // of a halt, a refusal or a wait
	Stage       string     `json:"stage,omitzero"`  // of a live run: baseline, agent, gates, deciding
	Exit        int        `json:"exit"`            // what apctl run and wait exit with; -1 while live
	Task        string     `json:"task"`            // its first 16 KiB
	Workspace   string     `json:"workspace"`
	Workflow    string     `json:"workflow"`
	Agent       string     `json:"agent"`
	Permissions string     `json:"permissions,omitzero"` // "full" when the agent may do anything unasked
	Phase       string     `json:"phase"`
	Iteration   int        `json:"iteration"`
	Attempt     int        `json:"attempt,omitzero"`
	Iterations  int        `json:"max_iterations"`
	Started     time.Time  `json:"started"`
	Ended       *time.Time `json:"ended,omitzero"`
	Halted      *time.Time `json:"halted,omitzero"`   // when a halted run halted
	ActiveMS    int64      `json:"active_ms"`         // elapsed without host sleep and waits
	LimitMS     int64      `json:"limit_ms,omitzero"` // of active time
	Until       *time.Time `json:"until,omitzero"`    // wall clock
	EndsBy      *time.Time `json:"ends_by,omitzero"`  // the earlier of both, from now
	LastOutput  *time.Time `json:"last_output,omitzero"`
	NextWake    *time.Time `json:"next_wake,omitzero"` // of a waiting run
	Stopping    string     `json:"stopping,omitzero"`  // a stop was asked for: iteration, now, cancel
	Gates       []GateView `json:"gates"`
	Branch      string     `json:"branch,omitzero"` // of a work tree that was made for the run
	Files       int        `json:"files"`           // changed against the start of the run
	Tree        string     `json:"tree,omitzero"`
	Seq         uint64     `json:"seq"`
	Unknown     int        `json:"unknown_events,omitzero"`
}

// GateView is one gate of a run with its latest verdict.
type GateView struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Role       string   `json:"role"`
	Command    string   `json:"command,omitzero"`
	Files      []string `json:"files,omitzero"`   // of an artifact, instead of a command: its globs
	Verdict    string   `json:"verdict,omitzero"` // empty before the first
	Reason     string   `json:"reason,omitzero"`
	Exit       int      `json:"exit"`
	Failing    int      `json:"failing,omitzero"`
	Before     int      `json:"failing_before,omitzero"` // at the iteration before
	DurationMS int64    `json:"duration_ms,omitzero"`
}

// WhyView explains a run: rule, compared values, last error, next command.
type WhyView struct {
	Run       RunView       `json:"run"`
	Rule      string        `json:"rule"`    // the rule that settled it, as "sameness"
	Because   string        `json:"because"` // one sentence
	Seq       uint64        `json:"seq"`     // the event that settled it
	Rows      []WhyRow      `json:"rows"`    // the iterations, oldest first
	Failing   []string      `json:"failing"` // failing test ids of the last judged iteration, at most 20
	More      int           `json:"failing_more,omitzero"`
	Files     []string      `json:"files"` // that the verdict names
	Question  string        `json:"question,omitzero"`
	LastError string        `json:"last_error,omitzero"` // excerpt of the failing gate, or of the agent
	ErrorFrom string        `json:"error_from,omitzero"` // "gate test", "agent"
	Claims    []string      `json:"claims,omitzero"`     // what the agent said against what was seen
	Evidence  *Evidence     `json:"evidence,omitzero"`
	Next      []NextCommand `json:"next"`
}

// WhyRow is one recorded iteration.
type WhyRow struct {
	Iteration      int    `json:"iteration"`
	Verdict        string `json:"verdict"`
	Tree           string `json:"tree"`
	Files          int    `json:"files"`
	Failing        int    `json:"failing"`
	FailingUnknown bool   `json:"failing_unknown,omitzero"` // no parser knew what the gates printed: failing says nothing
	Fingerprint    string `json:"fingerprint,omitzero"`
	EqualTo        int    `json:"equal_to,omitzero"` // an earlier iteration with the same fingerprint
	Claim          string `json:"claim,omitzero"`
}

// Evidence is what done stands on.
type Evidence struct {
	Tree     string     `json:"tree"`
	Checkout string     `json:"checkout"` // "in place" or "clean"
	Gates    []GateView `json:"gates"`
	Pinned   int        `json:"pinned"`           // files that had to stay as they were
	Allowed  []string   `json:"allowed,omitzero"` // test files that were changed by permission
	Created  []string   `json:"created,omitzero"` // files that the gates made, left out of the tree
}

// NextCommand is a command that a person may want now.
type NextCommand struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// JSON envelopes: every --json answer is {"schema": name, "version": n,
// "data": ...}.
const (
	SchemaRun     = "autopilot.run"
	SchemaRuns    = "autopilot.runs"
	SchemaWhy     = "autopilot.why"
	SchemaEvent   = "autopilot.event"
	SchemaLog     = "autopilot.log"
	SchemaDiff    = "autopilot.diff"
	SchemaWatch   = "autopilot.watch"
	SchemaVerify  = "autopilot.verify"
	SchemaDaemon  = "autopilot.daemon"
	SchemaConfig  = "autopilot.config"
	SchemaTrust   = "autopilot.trust"
	SchemaAgents  = "autopilot.agents"
	SchemaInit    = "autopilot.init"
	SchemaDoctor  = "autopilot.doctor"
	SchemaRestore = "autopilot.restore"
	SchemaReplay  = "autopilot.replay"
	SchemaNotify  = "autopilot.notify"
	SchemaPreview = "autopilot.preview"
	SchemaVersion = "autopilot.version"
	SchemaError   = "autopilot.error"
	SchemaService = "autopilot.service" // of daemon install and uninstall
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
