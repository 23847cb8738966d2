package rule

import (
	"slices"

	"autopilot/events"
)

// MostHung is how many agents in a row may hang before the run halts: the first is
// tried again at once. With when.DefaultIdle they cost half an hour.
const MostHung = 2

// Hung says that an agent was ended because it showed no sign of life, and not because
// its provider kept it waiting.
//
// Source: Field reports, B-2: silence is told apart from the time limit.
func Hung(d events.AgentEnded) bool {
	return d.Outcome == events.IdleTimeout && (d.Result == "" || d.Result == events.ResultIdleTimeout)
}

// HungLooks counts the sessions of the role that looked last which hung, one behind the
// other, at the same gate, and gave no result. What other roles did in between is another
// matter.
func HungLooks(looks []events.RoleEnded) (n int) {
	latest := last(looks)
	for _, l := range slices.Backward(looks) {
		switch {
		case l.Gate != latest.Gate || l.Role != latest.Role:
		case l.Void == "" || l.Agent.Result != events.ResultIdleTimeout:
			return n
		default:
			n++
		}
	}
	return n
}

// HungInRow counts agents that hung, one behind the other, whatever they changed
// before: each costs the same silence. One that was lost, stopped or kept waiting by
// its provider says nothing of that.
func HungInRow(before int, d events.AgentEnded) int {
	switch {
	case Hung(d):
		return before + 1
	case d.Outcome == events.Lost || d.Outcome == events.Stopped && d.Cut == "" || d.Result.OfAccount():
		return before
	}
	return 0
}
