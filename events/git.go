package events

// What a run may do in git: the values of its rules for pushes and for history. The first
// of each pair is the stricter one.
const (
	GitDeny  = "deny"
	GitAllow = "allow"
	GitKeep  = "keep"
	GitAny   = "any"
)
