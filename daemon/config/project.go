package config

import (
	"time"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/when"
)

// Project is the file .autopilot/config.yaml at the root of a work tree. Its
// fields are in the order of the documentation.
type Project struct {
	Agent            string                            `yaml:"agent"`  // name of a profile: shipped, or of Agents
	Agents           strictyaml.Map[Agent]             `yaml:"agents"` // changes to shipped profiles, and own ones
	Roles            strictyaml.Map[workflow.Profiles] `yaml:"roles"`  // of workflows, by name: who works or looks, where the workflow names nobody
	Gates            strictyaml.Map[Gate]              `yaml:"gates"`  // in the order in which they are run
	Holdout          Holdout                           `yaml:"holdout"`
	Inputs           strictyaml.Map[string]            `yaml:"inputs"` // of workflows, by name; each takes those that it knows
	Land             Land                              `yaml:"land"`
	Setup            string                            `yaml:"setup"` // prepares a clean checkout, by /bin/sh -c
	Checkout         string                            `yaml:"checkout"`
	Answers          string                            `yaml:"answers"`
	Worktree         bool                              `yaml:"worktree"` // a run works on a branch and in a directory of its own
	TreeBase         wire.WorktreeBase                 `yaml:"worktree_base"`
	TreeSeed         []string                          `yaml:"worktree_seed"` // globs of ignored files that it gets copies of
	Priority         string                            `yaml:"priority"`
	Protect          []string                          `yaml:"protect"` // globs that are pinned too
	AllowTestChanges []string                          `yaml:"allow_test_changes"`
	Sandbox          Sandbox                           `yaml:"sandbox"` // a project can only ask for more than the user does
	Git              Git                               `yaml:"git"`     // a project can only deny more than the user does
	Limits           Limits                            `yaml:"limits"`
	Resources        Resources                         `yaml:"resources"` // a project can only take less of the machine
	Redact           Redact                            `yaml:"redact"`
}

// Holdout are gates that run with files which agents do not see.
type Holdout struct {
	Dir   string                 `yaml:"dir"`   // absolute, or from the root of the work tree
	Gates strictyaml.Map[string] `yaml:"gates"` // commands, by name
}

// Land says how finished work comes onto a branch.
type Land struct {
	Gates strictyaml.Map[string] `yaml:"gates"` // commands that must pass on the merged tree too, by name
	How   string                 `yaml:"how"`   // merge, rebase or squash
	Into  []string               `yaml:"into"`  // branches that a queue may merge into: the standing consent of who trusts the file
}

// LandInto are the branches that a queue may merge into.
func (l Layers) LandInto() []string {
	if l.Project == nil {
		return nil
	}
	return l.Project.Land.Into
}

// Specs are the gates, as invariants.
func (l Land) Specs() []stored.Gate {
	var out []stored.Gate
	for _, e := range l.Gates {
		out = append(out, stored.Gate{Name: events.Name(e.Key), Role: events.RoleInvariant, Command: e.Value})
	}
	return out
}

// Git says what runs do not allow there.
type Git struct {
	Push    string `yaml:"push"`    // deny or allow
	History string `yaml:"history"` // keep or any
}

// Redact says what is secret beside what is known to be.
type Redact struct {
	Env []string `yaml:"env"` // names of variables
}

// The values of checkout.
const (
	CheckoutClean   = string(events.CheckoutClean)
	CheckoutInPlace = "in-place"
)

// The values of answers.
const (
	AnswersPerson  = "person"                      // at a terminal, or with more
	AnswersSession = string(events.AssuredSession) // a chat that drives a run, in its own dialog
)

// Agent is what a file says of one profile. A shipped profile takes no command.
type Agent struct {
	Command     Command           `yaml:"command"`
	Prompt      string            `yaml:"prompt"` // stdin (default) or file
	Model       string            `yaml:"model"`
	Permissions string            `yaml:"permissions"` // full, or nothing for the profile's own
	Args        []string          `yaml:"args"`        // after those of the profile
	Env         map[string]string `yaml:"env"`         // beside the environment of the run
	Stream      string            `yaml:"stream"`      // of an own profile: what it prints, as a format of agents
	Reports     []string          `yaml:"reports"`     // of an own profile: tokens, cost, by lines of its own
	Account     string            `yaml:"account"`     // a name for the account that it works on
}

// Command is text for /bin/sh -c, or in a file a list: argv.
type Command rule.Command

// Given says that there is a command.
func (c Command) Given() bool { return c.Text != "" || len(c.Argv) > 0 }

// DecodeYAML implements strictyaml.Decoder.
func (c *Command) DecodeYAML(v strictyaml.Value) error {
	switch v.Kind() {
	case strictyaml.Text:
		return v.Decode(&c.Text)
	case strictyaml.List:
		return v.Decode(&c.Argv)
	case strictyaml.Nothing, strictyaml.Bool, strictyaml.Number, strictyaml.Mapping:
	}
	return v.Mismatch("text or a list")
}

// Gate is one gate: in a file text is the command of a goal.
type Gate struct {
	Run      string          `yaml:"run"` // by /bin/sh -c
	Role     events.GateRole `yaml:"role"`
	Artifact []string        `yaml:"artifact"` // globs of files that the run has to write, instead of Run
}

// DecodeYAML implements strictyaml.Decoder.
func (g *Gate) DecodeYAML(v strictyaml.Value) error {
	g.Role = events.RoleGoal
	switch v.Kind() {
	case strictyaml.Text:
		return v.Decode(&g.Run)
	case strictyaml.Mapping:
		type plain Gate
		return v.Decode((*plain)(g))
	case strictyaml.Nothing, strictyaml.Bool, strictyaml.Number, strictyaml.List:
	}
	return v.Mismatch("a command, or a mapping such as {run: CMD, role: invariant}")
}

// Sandbox is what effects may touch: in a file a mode, or a mapping.
type Sandbox struct {
	Mode  events.Sandbox `yaml:"mode"`
	Allow []string       `yaml:"allow"` // paths and words of package sandbox
}

// DecodeYAML implements strictyaml.Decoder.
func (s *Sandbox) DecodeYAML(v strictyaml.Value) error {
	switch v.Kind() {
	case strictyaml.Text:
		return v.Decode(&s.Mode)
	case strictyaml.Mapping:
		type plain Sandbox
		return v.Decode((*plain)(s))
	case strictyaml.Nothing, strictyaml.Bool, strictyaml.Number, strictyaml.List:
	}
	return v.Mismatch("a mode, or a mapping such as {mode: guard, allow: [docker]}")
}

// Limits end a run. Zero is not set.
type Limits struct {
	Iterations int    `yaml:"iterations"`
	For        Span   `yaml:"for"`   // of activity
	Until      string `yaml:"until"` // a local time: "07:00", or with a date
	USD        USD    `yaml:"usd"`
	Tokens     Tokens `yaml:"tokens"`
	Turns      int    `yaml:"turns"`

	Idle             Timeout `yaml:"idle"`              // an agent without a sign of life
	IterationTimeout Timeout `yaml:"iteration_timeout"` // one agent
	GateTimeout      Timeout `yaml:"gate_timeout"`      // one command of a gate

	Day     Day `yaml:"day"`     // of all runs together; the user's alone
	Project Day `yaml:"project"` // of the runs of the project together
}

// Span is a length of time as people write it: 90m, 8h, 2d.
type Span time.Duration

// DecodeYAML implements strictyaml.Decoder.
func (s *Span) DecodeYAML(v strictyaml.Value) error {
	var text string
	if v.Kind() != strictyaml.Text {
		return v.Mismatch("a length of time such as 90m, 8h or 2d")
	}
	if err := v.Decode(&text); err != nil {
		return err
	}
	d, err := when.Span(text)
	if err != nil {
		return v.Errorf("write 90m, 8h or 2d", "%q is not a length of time", text)
	}
	*s = Span(d)
	return nil
}
