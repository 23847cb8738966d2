package workflow

import "autopilot/events"

var kindReview = Kind{
	Kind: events.GateReview, Must: []string{"role"}, Opens: true,
	Help:  "Passes when a reviewer has no finding.",
	Shows: byRole,
	Tells: tellLooks,
	Form: func(Gate) string {
		return `{"v":1,"verdict":"approve or comment or request-changes","architecture":"clear or watch or block",` + findingsForm + `}`
	},
}
