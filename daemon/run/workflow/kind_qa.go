package workflow

import "autopilot/events"

var kindQA = Kind{
	Kind: events.GateQA, Must: []string{"role"}, May: []string{"skip"}, Opens: true,
	Help: "Passes when another session has tried the result.",
	Shows: func(g Gate) string {
		text := byRole(g)
		for _, s := range g.Skip {
			text += ", skipped if " + string(s)
		}
		return text
	},
	Tells: tellLooks,
	Form:  func(Gate) string { return `{"v":1,"verdict":"passed or failed",` + findingsForm + `}` },
}
