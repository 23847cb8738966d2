package workflow

import "autopilot/events"

var kindCoverage = Kind{
	Kind: events.GateCoverage, Must: []string{"role", "of"}, Opens: true,
	Help:  "Passes when a reviewer finds every approved criterion covered.",
	Shows: func(g Gate) string { return byRole(g) + " of " + showOf(g) },
	Tells: tellLooks,
	Form: func(Gate) string {
		return `{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"the test that covers it"}]}`
	},
}
