package workflow

import (
	"slices"
	"time"

	"autopilot/daemon/strictyaml"
)

// Phase is a named stage: somebody works in it, or nobody, and its gates judge.
// A phase that passes goes on to the next one; one that does not is repeated,
// or goes back to where Unclean says.
type Phase struct {
	Name     string   `yaml:"name"`
	Prompt   string   `yaml:"prompt"`   // file name of the template; empty: nobody works, the gates look at what is there
	Brief    string   `yaml:"brief"`    // what the phase is for, to who works in it
	Role     string   `yaml:"role"`     // who works; empty is the agent of the run
	Entry    []Gate   `yaml:"entry"`    // what must hold before the phase begins; a person is asked for what does not
	Changes  Changes  `yaml:"changes"`  // which files it may change
	Produces []string `yaml:"produces"` // globs of files that it has to write
	Gates    []Gate   `yaml:"gates"`    // in the order in which they are judged
	Unclean  string   `yaml:"unclean"`  // an earlier phase to go back to when the gates do not pass
	Publish  bool     `yaml:"publish"`  // what has passed is pushed, and shown as a draft, where the user's settings want drafts
	Next     string   `yaml:"next"`     // a later phase to go on with; empty is the following one
	Limits   Budget   `yaml:"limits"`
}

// Works says that somebody works in the phase.
func (p Phase) Works() bool { return p.Prompt != "" }

// judgedBy says that the phase is judged by gates that the run brings along.
func (p Phase) judgedBy(group GateGroup) bool {
	return slices.ContainsFunc(p.Gates, func(g Gate) bool { return g.Group == group })
}

// FilesGate is the gate that follows from what the phase has to write.
func (p Phase) FilesGate() string { return p.Name + "-files" }

// ScopeGate is the gate that follows from what the phase may change.
func (p Phase) ScopeGate() string { return p.Name + "-scope" }

// Budget bounds a phase over the limits of the workflow. Zero takes those.
type Budget struct {
	Iterations int           `yaml:"iterations"` // each time the phase is entered
	Wall       time.Duration `yaml:"wall"`       // of one agent
}

// Changes says which files a phase may change: all, none, or those that match.
// The zero value is all where somebody works, else none.
type Changes struct {
	All   bool
	Files []string // globs
}

// The words of Changes.
const (
	changesAll  = "all"
	changesNone = "none"
)

// DecodeYAML reads all, none, or a list of globs.
func (c *Changes) DecodeYAML(v strictyaml.Value) error {
	switch v.Kind() {
	case strictyaml.List:
		return v.Decode(&c.Files)
	case strictyaml.Text:
		switch word := v.Plain(); word {
		case changesAll:
			*c = Changes{All: true}
			return nil
		case changesNone:
			*c = Changes{Files: []string{}}
			return nil
		default:
			return v.Errorf("write all, none or a list of globs", "unknown word %q", word)
		}
	case strictyaml.Nothing, strictyaml.Bool, strictyaml.Number, strictyaml.Mapping:
	}
	return v.Mismatch("all, none or a list of globs")
}

// May says which files a phase may change: all, or those that match the globs.
func (p Phase) May() (all bool, globs []string) {
	if p.Changes.Files == nil {
		return p.Changes.All || p.Works(), nil
	}
	return false, p.Changes.Files
}

// Role is who works in a phase, or looks at its work: a session of its own,
// started by the daemon.
type Role struct {
	Prompt string        `yaml:"prompt"` // file name of the template; of a role that looks
	Brief  string        `yaml:"brief"`  // what it looks for
	Agents Profiles      `yaml:"agent"`  // profiles; where the work of one does not converge the next one goes on, and never back. Empty is the run's
	Wall   time.Duration `yaml:"wall"`   // of one session; zero is that of the workflow
}

// Profiles are names of agent profiles, in the order of escalation.
type Profiles []string

// DecodeYAML reads one name, or a list.
func (p *Profiles) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() == strictyaml.Text {
		*p = Profiles{v.Plain()}
		return nil
	}
	return v.Decode((*[]string)(p))
}
