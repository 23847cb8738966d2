package agent

import (
	"autopilot/projections/rule"
)

// PermitFull is the word for an agent that may do anything unasked. It is only
// ever what somebody has written.
const PermitFull = "full"

// Overrides are what a configuration says of agents, by the name of the
// profile: a shipped one is changed, another name is an own profile.
type Overrides map[string]Override

// Override is what a configuration says of one profile. Zero fields leave the
// profile as it is.
type Override struct {
	Origin      string            // project or user: whose file says so
	Command     rule.Command      // of an own profile: Text for /bin/sh -c, or Argv
	Prompt      PromptMode        // of an own profile; empty is stdin
	Model       string            // empty is the program's own choice
	Permissions string            // PermitFull, or empty for the profile's own
	Args        []string          // further arguments, after those of the profile
	Env         map[string]string // variables that it gets beside the run's; they win
}
