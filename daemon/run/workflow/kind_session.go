package workflow

import "autopilot/events"

var kindSession = Kind{
	Kind: events.GateSession, May: []string{"stall", "carryover"},
	Help: "Passes when the session has reported its outcome, and no kill switch fires.",
	Tells: func(_ Gate, p *PromptGate) {
		p.Says = "your result reports the session in its member `session`; a kill switch halts the run on bad numbers"
	},
}
