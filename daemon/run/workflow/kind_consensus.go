package workflow

import (
	"strings"

	"autopilot/events"
)

var kindConsensus = Kind{
	Kind: events.GateConsensus, Must: []string{"roles", "of"}, Opens: true,
	Help:  "Passes when every role approves the same plan, in order.",
	Shows: func(g Gate) string { return strings.Join(g.Roles, ", then ") + " on " + showOf(g) },
	Tells: tellLooks,
	Form:  func(Gate) string { return `{"v":1,"verdict":"approve or iterate or reject",` + findingsForm + `}` },
}
