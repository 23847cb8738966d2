package workflow

import (
	"fmt"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

var kindRepeat = Kind{
	Kind: events.GateRepeat, Must: []string{"run", "times"}, Opens: true,
	Help:  "Passes when a command exits 0 several times in a row.",
	Shows: func(g Gate) string { return fmt.Sprintf("%s times in a row %s", g.Times, g.Run) },
	Tells: func(g Gate, p *PromptGate) { p.Says = fmt.Sprintf("%s times in a row", g.Times) },
	Judge: (*gate.Series).Repeat,
}
