package workflow

import "autopilot/events"

// The daemon's own kinds; a prompt has their texts in other places.
var (
	kindProtected = Kind{Kind: events.GateProtected, Hidden: true}
	kindControl   = Kind{Kind: events.GateControl, Hidden: true}
	kindGit       = Kind{Kind: events.GateGit, Hidden: true}
)
