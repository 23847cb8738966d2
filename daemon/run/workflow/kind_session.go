package workflow

import "autopilot/events"

var kindSession = Kind{
	Kind: events.GateSession, May: []string{"stall", "carryover"},
	Help: "Passes when the session has told how it went, and no kill switch fires on that.",
	Tells: func(_ Gate, p *PromptGate) {
		p.Says = "your result tells how the session went, as member `session`: nothing that a kill switch stops at"
	},
}
