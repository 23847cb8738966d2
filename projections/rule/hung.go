package rule

import "autopilot/events"

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
