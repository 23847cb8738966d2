package workflow

import (
	"time"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

// Gate is a check of a phase: a group of gates that the run brings along, or one
// that the workflow declares. Which keys a kind takes is in its Kind.
type Gate struct {
	Group GateGroup `yaml:"-"` // a word alone
	Void  bool      `yaml:"-"` // command: its input says that it does not apply
	Again bool      `yaml:"-"` // a group of the last phase that its file does not name: see provenAtTheEnd

	Name string          `yaml:"name"`
	Kind events.GateKind `yaml:"kind"`

	Run      string          `yaml:"run"`      // command, repeat, flaky, red: for /bin/sh -c
	Checkout events.Checkout `yaml:"checkout"` // command: where it runs
	Setup    string          `yaml:"setup"`    // command: prepares a clean checkout
	Times    Times           `yaml:"times"`    // repeat: passes in a row; flaky, red: runs of which at least one fails

	Files []string `yaml:"files"` // artifact, scope: globs; red: those of its tests
	Of    []string `yaml:"of"`    // anchor, approval, coverage, consensus: the set that it is about, globs

	Role  string   `yaml:"role"`  // coverage, review, qa, interview: who looks
	Roles []string `yaml:"roles"` // consensus: who look, one behind the other

	Skip      []Skip          `yaml:"skip"`      // qa: what the diff may show instead
	Rounds    Choice[int]     `yaml:"rounds"`    // interview: at most
	Ambiguity Choice[int]     `yaml:"ambiguity"` // interview: at most, in percent
	Weights   Choice[Weights] `yaml:"weights"`   // interview: of each dimension, together 100

	Assurance events.Assurance `yaml:"assurance"` // approval: at least
	Expires   time.Duration    `yaml:"expires"`   // approval: without an answer; zero never
	Question  Words            `yaml:"question"`  // approval: what is asked
	Means     Words            `yaml:"means"`     // approval: what follows from each answer
	Handoff   bool             `yaml:"handoff"`   // approval: who starts the run may hand it over

	Stall     time.Duration `yaml:"stall"`     // session: at least so long without progress before its end; zero is rule.StallDefault
	Carryover int           `yaml:"carryover"` // session: percent of the planned issues that may be left; zero is rule.CarryoverDefault
}

// Weights are the weights of dimensions, in percent.
type Weights = strictyaml.Map[int]

// GateGroup names gates that the run brings along.
type GateGroup string

// The groups of gates.
const (
	Goals      GateGroup = "goals"      // must be seen red, then pass
	Invariants GateGroup = "invariants" // must stay green
	Protected  GateGroup = "protected"  // pinned files are unchanged
)

// Skip is a reason for which a gate may be skipped, if the diff bears it out.
type Skip string

// SkipDocs says that nothing but documentation was changed.
const SkipDocs Skip = "docs-only"

// plainGate is a Gate without its own way of reading.
type plainGate Gate

// DecodeYAML reads the word of a group, or a mapping.
func (g *Gate) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() == strictyaml.Text {
		g.Group = GateGroup(v.Plain())
		return nil
	}
	return v.Decode((*plainGate)(g))
}
