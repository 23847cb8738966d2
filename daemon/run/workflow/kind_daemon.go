package workflow

import "autopilot/events"

// The kinds of the daemon's own, of which a prompt tells in other places.
var (
	kindProtected = Kind{Kind: events.GateProtected, Hidden: true}
	kindControl   = Kind{Kind: events.GateControl, Hidden: true}
	kindGit       = Kind{Kind: events.GateGit, Hidden: true}
)
