package wire

// SchemaMode is that of apctl mode.
const SchemaMode = "autopilot.mode"

// ModeView is the mode that the next session of session-orchestrator should have.
type ModeView struct {
	Mode         string       `json:"mode"`
	Confidence   float64      `json:"confidence"` // 0 to 0.9
	Use          string       `json:"use"`        // decline, suggest, preselect, autonomous
	Rationale    string       `json:"rationale"`
	Alternatives []ModeChoice `json:"alternatives"`
	Pressure     string       `json:"pressure"` // low, medium, high
	Ignored      bool         `json:"ignored"`  // a source has something to say, and the confidence is 0 all the same
	Sources      []ModeSource `json:"sources"`
}

// ModeChoice is another mode.
type ModeChoice struct {
	Mode       string  `json:"mode"`
	Confidence float64 `json:"confidence"`
}

// ModeSource is one place that was looked at.
type ModeSource struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, empty, absent, unreadable
	Says  string `json:"says,omitzero"`
}
