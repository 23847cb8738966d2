package workflow

import (
	"strings"

	"autopilot/events"
)

var kindAnchor = Kind{
	Kind: events.GateAnchor, Must: []string{"of"}, Entry: true,
	Help:  "Passes when approved files are unchanged.",
	Shows: showOf,
	Tells: func(g Gate, p *PromptGate) { p.Says = "leave as they were approved: " + strings.Join(g.Of, ", ") },
}
