package workflow

import (
	"fmt"
	"strings"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

var kindRed = Kind{
	Kind: events.GateRed, Must: []string{"run", "files"}, May: []string{"times"}, Opens: true,
	Help: "Passes when the tests failed in a commit before the implementation.",
	Shows: func(g Gate) string {
		if g.Times != (Times{}) {
			return fmt.Sprintf("fails at least once in %s runs of %s", g.Times, g.Run)
		}
		return g.Run
	},
	Tells: func(g Gate, p *PromptGate) {
		often := ""
		if g.Times.N != 0 {
			often = fmt.Sprintf(" at least once in %s runs, and then pass %[1]s times in a row", g.Times)
		}
		p.Says = "commit the tests (" + strings.Join(g.Files, ", ") + ") alone and before the work, because the command must fail in that commit" + often +
			", and do not change them later; " + gate.TestsLater
	},
}
