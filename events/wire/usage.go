package wire

// UsageShow asks what agents used.
var UsageShow = Verb{Name: "usage.show", Class: Read}

// UsageWays are the ways to divide usage.
func UsageWays() []string { return []string{"day", "project", "agent", "model", "run"} }
