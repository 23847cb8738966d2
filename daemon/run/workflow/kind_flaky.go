package workflow

import (
	"fmt"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

var kindFlaky = Kind{
	Kind: events.GateFlaky, Must: []string{"run", "times"}, Tries: true,
	Help:  "Passes when a command fails at least once of so many runs, so that it can be seen that it fails at times.",
	Shows: func(g Gate) string { return fmt.Sprintf("fails at least once of %s times %s", g.Times, g.Run) },
	Tells: func(g Gate, p *PromptGate) { p.Says = fmt.Sprintf("has to fail at least once of %s times", g.Times) },
	Judge: (*gate.Series).Flaky,
}
