package workflow

import (
	"fmt"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

var kindFlaky = Kind{
	Kind: events.GateFlaky, Must: []string{"run", "times"}, Tries: true,
	Help: "Passes when a command fails in at least one of several runs and passes in another, which shows that it is flaky.",
	Shows: func(g Gate) string {
		return fmt.Sprintf("fails in some of %s runs of %s", g.Times, g.Run)
	},
	Tells: func(g Gate, p *PromptGate) {
		p.Says = fmt.Sprintf("must fail at least once in %s runs, and pass at least once", g.Times)
	},
	Judge: (*gate.Series).Flaky,
}
