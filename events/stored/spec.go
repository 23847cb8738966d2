// Package stored has the blobs with structure that events of a run name. Each has a type
// of its own, apart from what clients send and see, and is versioned as events are: a
// field is only added, and a changed meaning is a new type with a new name. testdata
// holds a frozen sample of each.
//
// A blob that another package owns whole (pins, environment, held-out gates) is declared
// there.
package stored

import (
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
)

// Spec is a run as it was accepted, with the settings of that moment: the blob
// events.RunStarted.Spec. What events themselves hold (limits, priority, task) is not in
// it.
type Spec struct {
	Type          string              `json:"type"` // TypeSpec
	Gates         []Gate              `json:"gates"`
	Protect       []string            `json:"protect,omitzero"`        // further pinned globs
	AllowTests    []string            `json:"allow_tests,omitzero"`    // globs taken out of the pins; "**" is all
	Agent         Agent               `json:"agent"`                   // the run's own; empty where it has none
	Crew          []Agent             `json:"crew,omitzero"`           // profiles that the workflow names, each once
	Driver        events.Driver       `json:"driver,omitzero"`         // who does the work; empty is an agent of the daemon
	Setup         string              `json:"setup,omitzero"`          // run by /bin/sh -c in a clean checkout, before its gates
	Checkout      events.Checkout     `json:"checkout,omitzero"`       // where gates must pass before done
	Roles         map[string][]string `json:"roles,omitzero"`          // profiles that the settings name for roles of the workflow
	Inputs        map[string]string   `json:"inputs,omitzero"`         // of the workflow, by name
	Issue         string              `json:"issue,omitzero"`          // subject of the run, with or without repository
	Branch        string              `json:"branch,omitzero"`         // of a work tree that was made for the run
	From          string              `json:"from,omitzero"`           // absolute path of the work tree that it was made from
	MaxIterations int                 `json:"max_iterations,omitzero"` // of each phase, where the caller set it
	StartBroken   bool                `json:"start_broken,omitzero"`   // a goal may fail at the start before it tests anything
	Below         string              `json:"below,omitzero"`          // caller's directory, relative to the root of the work tree
	NoControls    bool                `json:"no_controls,omitzero"`    // done without the controls
	Timeouts      Timeouts            `json:"timeouts,omitzero"`
	Sandbox       events.Sandbox      `json:"sandbox,omitzero"`
	SandboxAllow  []string            `json:"sandbox_allow,omitzero"` // paths and words that stay in reach
	Git           GitRules            `json:"git,omitzero"`
	Land          *Land               `json:"land,omitzero"` // of a run that lands the work of others
}

// Land is where a landing run brings work to.
type Land struct {
	Target string   `json:"target"` // local branch of the repository of From, without refs/heads/
	Onto   string   `json:"onto,omitzero"`
	Commit string   `json:"commit"`
	Of     []string `json:"of"` // ids of the runs whose work it is
	How    string   `json:"how"`
}

// TypeSpec is the type of a Spec.
const TypeSpec = "spec.v1"

// Gate is a gate that a run brings along: a command, or files.
type Gate struct {
	Name    events.Name     `json:"name"`
	Kind    events.GateKind `json:"kind,omitzero"` // empty is command
	Role    events.GateRole `json:"role"`
	Command string          `json:"command,omitzero"` // run by /bin/sh -c
	Files   []string        `json:"files,omitzero"`   // of an artifact: globs, relative to the workspace
}

// Agent is how an agent is called: by exactly one of Command, Script and Profile. Of a
// profile, the rest is fixed at the start of the run, so that a later version of the
// profile changes nothing for it.
type Agent struct {
	Command     string         `json:"command,omitzero"` // run by /bin/sh -c
	Script      string         `json:"script,omitzero"`  // text of a script agent's YAML
	Profile     string         `json:"profile,omitzero"`
	Model       string         `json:"model,omitzero"`       // empty is the program's own choice
	Permissions string         `json:"permissions,omitzero"` // "full", or empty for the profile's own
	Args        []string       `json:"args,omitzero"`        // further arguments
	Argv        []string       `json:"argv,omitzero"`        // the whole call
	Prompt      string         `json:"prompt,omitzero"`      // stdin (the default) or file
	Shape       jsontext.Value `json:"shape,omitzero"`       // agent.Shape: how to resume, keep a budget, read output
	Account     string         `json:"account,omitzero"`     // local name of its account
}

// Timeouts bound single process trees, in milliseconds. Zero is not set, and takes the
// limit of the workflow; -1 is no limit.
type Timeouts struct {
	IdleMS    int64 `json:"idle_ms,omitzero"`    // an agent without output, CPU time or a changed file
	AttemptMS int64 `json:"attempt_ms,omitzero"` // one agent
	GateMS    int64 `json:"gate_ms,omitzero"`    // one command of a gate
}

// Higher says that limit a allows more than limit b. Both are in effect: -1 is no limit.
func Higher(a, b int64) bool { return b >= 0 && a != b && (a < 0 || a > b) }

// Lower is the lower of two limits, of which zero is not set.
func Lower(a, b int64) int64 {
	if a == 0 || b != 0 && Higher(a, b) {
		return b
	}
	return a
}

// GitRules say what a run forbids in git. An empty rule takes the settings, then the
// second value.
type GitRules struct {
	Push    string `json:"push,omitzero"`    // events.GitDeny or events.GitAllow
	History string `json:"history,omitzero"` // events.GitKeep or events.GitAny
}

// Denies says that the run forbids something.
func (g GitRules) Denies() bool { return g.Push == events.GitDeny || g.History == events.GitKeep }
