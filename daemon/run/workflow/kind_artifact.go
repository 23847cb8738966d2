package workflow

import "autopilot/events"

var kindArtifact = Kind{
	Kind: events.GateArtifact, Must: []string{"files"}, Entry: true, Opens: true,
	Help:  "Passes when the files were written in this phase and are not blank.",
	Shows: showFiles,
	Tells: func(g Gate, p *PromptGate) { p.Files = g.Files },
}
