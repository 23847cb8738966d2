package workflow

import "autopilot/events"

var kindCommand = Kind{
	Kind: events.GateCommand, Must: []string{"run"}, May: []string{"checkout", "setup"}, Entry: true, Opens: true,
	Help:  "Passes when a command exits 0.",
	Shows: showRun,
}
