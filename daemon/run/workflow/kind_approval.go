package workflow

import "autopilot/events"

var kindApproval = Kind{
	Kind: events.GateApproval, Must: []string{"of"}, May: []string{"question", "means", "assurance", "expires", "handoff"}, Entry: true, Opens: true,
	Help: "Passes when a person approves the shown files.",
	Shows: func(g Gate) string {
		text := "a person approves " + showOf(g)
		if g.Assurance != "" {
			text += ", at least " + string(g.Assurance)
		}
		if g.Expires > 0 {
			text += ", within " + DurationText(g.Expires)
		}
		return text
	},
	Tells: func(_ Gate, p *PromptGate) { p.Says = "a person approves it" },
}
