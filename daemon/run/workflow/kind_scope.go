package workflow

import (
	"strings"

	"autopilot/events"
)

var kindScope = Kind{
	Kind: events.GateScope, Must: []string{"files"},
	Help:  "Passes when only allowed files were changed.",
	Shows: showFiles,
	Tells: func(g Gate, p *PromptGate) {
		if p.Says = "change nothing"; len(g.Files) > 0 {
			p.Says += " but " + strings.Join(g.Files, ", ")
		}
	},
}
