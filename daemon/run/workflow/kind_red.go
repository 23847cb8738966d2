package workflow

import (
	"fmt"
	"strings"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

var kindRed = Kind{
	Kind: events.GateRed, Must: []string{"run", "files"}, May: []string{"times"}, Opens: true,
	Help: "Passes when the tests were seen to fail in a commit before the implementation.",
	Shows: func(g Gate) string {
		if g.Times != (Times{}) {
			return fmt.Sprintf("fails at least once of %s times %s", g.Times, g.Run)
		}
		return g.Run
	},
	Tells: func(g Gate, p *PromptGate) {
		often := ""
		if g.Times.N != 0 {
			often = fmt.Sprintf(" at least once of %s times, and then pass %[1]s times in a row", g.Times)
		}
		p.Says = "commit the tests (" + strings.Join(g.Files, ", ") + ") alone and before the work, as the command has to fail in that commit" + often +
			", and leave them as they are there; " + gate.TestsLater
	},
}
