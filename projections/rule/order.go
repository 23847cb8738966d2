package rule

import (
	"slices"

	"autopilot/events"
)

// RailOrder is the precedence of what can halt a run after a failed iteration:
// the first that fired names the halt. A gate that cannot be run comes before
// the rails, as it says nothing about the work (atdd-kit: stage 9 before 10).
func RailOrder() []events.Halt {
	return []events.Halt{
		events.HaltUnverifiable,
		events.HaltDrift,
		events.HaltLogIntegrity,
		events.HaltIterations,
		events.HaltSameness,
		events.HaltStuck,
		events.HaltSignature,
	}
}

// First is the one of the rails that fired which names the halt. Reasons that
// are no rails are left out.
func First(fired ...events.Halt) (events.Halt, bool) {
	for _, h := range RailOrder() {
		if slices.Contains(fired, h) {
			return h, true
		}
	}
	return "", false
}
