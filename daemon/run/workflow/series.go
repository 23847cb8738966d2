package workflow

import (
	"slices"

	"autopilot/events"
)

// Series makes each iteration a whole session, in a mode that is selected before it, and
// ends the run by kill switches between them. Without a ledger the workflow has none.
//
// Source: session-orchestrator, seeds 2.1.
type Series struct {
	Ledger    string `yaml:"ledger"`    // the file to which each session adds a line, below the work tree
	Telemetry string `yaml:"telemetry"` // the file that gets a line of each run
	Selector  string `yaml:"selector"`  // command that prints mode and confidence as JSON; empty: by what sessions have left
}

// On says that iterations are whole sessions.
func (s Series) On() bool { return s.Ledger != "" }

// series checks a workflow whose iterations are sessions: one phase, in which a session
// is judged by its record.
func (p *problems) series(w Workflow) {
	s := w.Series
	if !s.On() {
		if s.Telemetry != "" || s.Selector != "" {
			p.add("series.ledger", "add ledger: FILE", "the series has no ledger, so nobody could tell a session from none")
		}
		return
	}
	p.glob("series.ledger", s.Ledger)
	if s.Telemetry != "" {
		p.glob("series.telemetry", s.Telemetry)
	}
	if len(w.Phases) != 1 || !w.Phases[0].Works() || !slices.ContainsFunc(w.Phases[0].Gates, func(g Gate) bool { return g.Kind == events.GateSession }) {
		p.add("series", "give it one phase with prompt: FILE.md and a gate of kind session", "a series of sessions is one phase, judged by their records")
	}
}
