package config

import (
	"time"

	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
)

// User is the file config.yaml of the user's configuration. Its fields are in
// the order of the documentation.
type User struct {
	Agent       string                            `yaml:"agent"`
	Agents      strictyaml.Map[Agent]             `yaml:"agents"`
	Roles       strictyaml.Map[workflow.Profiles] `yaml:"roles"`
	Checkout    string                            `yaml:"checkout"`
	Answers     string                            `yaml:"answers"`
	Worktree    bool                              `yaml:"worktree"`
	TreeBase    wire.WorktreeBase                 `yaml:"worktree_base"`
	TreeRoot    string                            `yaml:"worktree_root"` // absolute, or from ~/
	TreeSeed    []string                          `yaml:"worktree_seed"` // globs
	Priority    string                            `yaml:"priority"`
	Limits      Limits                            `yaml:"limits"`
	Prices      strictyaml.Map[Price]             `yaml:"prices"` // of tokens, by model
	Redact      Redact                            `yaml:"redact"`
	Sandbox     Sandbox                           `yaml:"sandbox"`
	Git         Git                               `yaml:"git"`
	Gate        UserGate                          `yaml:"gate"`
	Resources   Resources                         `yaml:"resources"`
	AfterReboot AfterReboot                       `yaml:"after_reboot"`
	Notify      notify.Settings                   `yaml:"notify"`
	Language    events.Language                   `yaml:"language"` // of what the user reads; empty is that of each run
	Bus         Bus                               `yaml:"bus"`
	Team        Team                              `yaml:"team"`
	Durability  bus.Durability                    `yaml:"durability"` // what an acknowledged event survives
	Quota       string                            `yaml:"quota"`      // of the event store, as 4GiB
	Idle        time.Duration                     `yaml:"idle"`       // the daemon ends after so long without work, 0s never
}

// UserGate is what gates get beside their pinned environment.
type UserGate struct {
	Env map[string]string `yaml:"env"` // variables, which win over all others
}

// AfterReboot says what becomes of live runs when the host has booted anew.
type AfterReboot string

// The policies.
const (
	ResumeAfterReboot AfterReboot = "resume"
	AskAfterReboot    AfterReboot = "ask" // they halt as rebooted
)

// Defaults of the user's settings.
const (
	DefaultQuota = "4GiB"
	DefaultIdle  = 30 * time.Minute
)

// DefaultUser is a user without a file.
func DefaultUser() User {
	return User{AfterReboot: ResumeAfterReboot, Durability: bus.Power, Quota: DefaultQuota, Idle: DefaultIdle}
}
