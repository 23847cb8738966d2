package wire

import "time"

// The schemas of compat omx import and observe.
const (
	SchemaOmx       = "autopilot.omx"
	SchemaOmxChange = "autopilot.omx.change"
)

// OmxView is what the state of autopilot of oh-my-codex says, and what it lacks.
type OmxView struct {
	Dir         string   `json:"dir"`
	Phase       string   `json:"phase"`
	Active      bool     `json:"active"`
	Task        string   `json:"task,omitzero"`
	ReviewCycle int      `json:"review_cycle"`
	Missing     []OmxGap `json:"missing"` // of the phases behind it, in their order
	Command     string   `json:"command"` // begins a run with this task
}

// OmxGap is evidence that a phase lacks.
type OmxGap struct {
	Gate    string `json:"gate"`
	Missing string `json:"missing"`
	Message string `json:"message"`
}

// OmxChange is a change of that state by somebody else.
type OmxChange struct {
	At      time.Time `json:"at"`
	From    string    `json:"from"` // phases; empty: no state before
	To      string    `json:"to"`
	Refused string    `json:"refused,omitzero"` // why the change would have been refused
}
