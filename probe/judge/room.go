package judge

import "math"

// Demand is what the agents of a host need, and what bounds them.
type Demand struct {
	Max     int     // agents at once, as configured; 0 is no bound
	Running int     // agents at work now: the memory that is available is what they leave
	RAM     float64 // bytes that one more is expected to need; 0 does not look
}

// Reason says what bounds the agents of a host.
type Reason string

// The reasons.
const (
	ByVerdict Reason = "verdict"
	ByMemory  Reason = "memory"
	ByMax     Reason = "max"
	ByProject Reason = "project"
	Unbounded Reason = ""
)

// Room is the most agents that may be at work, and what bounds them; NoCap
// without a bound. What bounds only lowers (S16): the least of all counts.
func Room(r Reading, j Judgement, l Limits, d Demand) (room int, by Reason) {
	room = NoCap
	lower := func(n int, why Reason) {
		if n >= 0 && (room == NoCap || n < room) {
			room, by = n, why
		}
	}
	lower(j.Cap, ByVerdict)
	if d.Max > 0 {
		lower(d.Max, ByMax)
	}
	if v, ok := r.MemoryAvailable.Get(); ok && d.RAM > 0 {
		more := math.Floor((v - l.MemoryHard) / d.RAM)
		n := d.Running + int(max(0, min(more, 1<<20)))
		if j.Verdict != Critical {
			n = max(n, 1) // one always may, or a small machine would do nothing at all
		}
		lower(n, ByMemory)
	}
	return room, by
}

// Lower is a cap that is lowered to the most that a heavy repository takes, if that
// is less; 0 is no such bound.
//
// Source: session-orchestrator, seeds 2.2.2 and 2.2.4 (S16).
func Lower(limit, most int) int {
	if most > 0 && (limit < 0 || most < limit) {
		return most
	}
	return limit
}
