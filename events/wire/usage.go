package wire

// UsageWays are the ways to divide usage.
func UsageWays() []string { return []string{"day", "project", "agent", "model", "run"} }
