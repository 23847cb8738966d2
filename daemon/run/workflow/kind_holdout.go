package workflow

import "autopilot/events"

var kindHoldout = Kind{
	Kind: events.GateHoldout, Hidden: true,
	Tells: func(_ Gate, p *PromptGate) {
		p.Command, p.Says = "", "passes when the task is done as it says; what it runs and what it prints is kept from you"
	},
}
