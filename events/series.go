package events

import "math"

// TypeModeSelected is the event of a mode that was selected for the next session of a
// run whose iterations are whole sessions.
const TypeModeSelected = "mode.selected.v1"

// Series bounds a run whose iterations are whole sessions, one behind the other, each
// in a mode that is selected before it. Sessions of 0 is no such run.
//
// Source: session-orchestrator, seeds 2.1.1.
type Series struct {
	Sessions   int   `json:"sessions"` // at most
	HoursMS    int64 `json:"hours_ms"` // no session begins so long after the start
	Confidence Ratio `json:"confidence_ppm"`
	Tokens     int64 `json:"tokens,omitzero"` // of all sessions; 0 is no budget
	Peers      int   `json:"peers"`           // more other sessions are too many on a critical machine
	Name       Ref   `json:"name,omitzero"`   // that records of sessions have for the run
	HostClass  Ref   `json:"host_class,omitzero"`
}

// ModeSelected says what was found before a session: how the machine stands, how many
// other sessions are there, and which mode the selector names. On an overloaded machine
// nothing is selected.
type ModeSelected struct {
	Session    int   `json:"session"`       // its number within the run, from 1
	Mode       Name  `json:"mode,omitzero"` // empty: none was named
	Confidence Ratio `json:"confidence_ppm"`
	Why        Ref   `json:"why,omitzero"`     // its reason, or how the selector failed
	Failed     bool  `json:"failed,omitzero"`  // the selector failed
	Verdict    Name  `json:"verdict,omitzero"` // on the machine; empty is unknown
	Peers      int   `json:"peers"`            // -1 is unknown
	Cap        int   `json:"cap"`              // of sub-agents, -1 for none
	Records    int   `json:"records"`          // lines of the ledger before the session
}

// EventType is the stored name of the type.
func (ModeSelected) EventType() string { return TypeModeSelected }

// Ratio is a part of 1, in millionths: events have no fractions, so that each reader has
// the same number.
type Ratio int64

const (
	ratioOne  = 1_000_000
	mostRatio = 1e9 // what a program prints may be any number
)

// RatioOf rounds to millionths.
func RatioOf(f float64) Ratio {
	return Ratio(math.Round(min(max(f, -mostRatio), mostRatio) * ratioOne))
}

// Float is the ratio as a number.
func (r Ratio) Float() float64 { return float64(r) / ratioOne }
