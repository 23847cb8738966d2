package workflow

import "autopilot/events"

var kindHoldout = Kind{
	Kind: events.GateHoldout, Hidden: true,
	Tells: func(_ Gate, p *PromptGate) {
		p.Command, p.Says = "", "passes when the task is solved; you do not see its command or its output"
	},
}
