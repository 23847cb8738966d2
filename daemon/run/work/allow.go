package work

import (
	"time"

	"autopilot/events"
	"autopilot/projections/run"
)

// Allowance is what an agent that begins now may use, beside the limits of its run. Zero
// is no limit.
type Allowance struct {
	Tokens   int64
	MicroUSD int64
	Turns    int
	Active   time.Duration
	Capped   bool
	Cap      int // sub-agents at once, as the machine bears them
}

// Within lowers the allowance to the rest of one more daily limit, in that limit's unit.
func (a Allowance) Within(kind events.Limit, left int64) Allowance {
	switch kind {
	case events.LimitDayCost:
		a.MicroUSD = lesser(a.MicroUSD, left)
	case events.LimitDayTokens:
		a.Tokens = lesser(a.Tokens, left)
	case events.LimitDayTurns:
		a.Turns = int(lesser(int64(a.Turns), left))
	case events.LimitDayHours:
		a.Active = time.Duration(lesser(a.Active.Milliseconds(), left)) * time.Millisecond
	case events.LimitRate, events.LimitOverload, events.LimitNetwork, events.LimitSlots, events.LimitResources:
	}
	return a
}

// capOn tells an agent its cap on sub-agents.
func (a Allowance) capOn(d *events.IterationStarted) {
	d.Capped, d.Cap = a.Capped, a.Cap
}

// forAgent is the lesser of the allowance and the rest of the run's own limits: tokens,
// millionths of a dollar, turns. At least one of each is left: a run without any halts
// before.
func (a Allowance) forAgent(s run.State) (tokens, microUSD int64, turns int) {
	l, used := s.Facts.Limits, s.Loop.Used
	tokens = lesser(a.Tokens, left(l.Tokens, used.Tokens()))
	microUSD = lesser(a.MicroUSD, left(l.MicroUSD, used.MicroUSD))
	turns = int(lesser(int64(a.Turns), left(int64(l.Turns), int64(used.Turns))))
	return tokens, microUSD, turns
}

// wall cuts a time limit to the allowance.
func (a Allowance) wall(limit time.Duration) time.Duration {
	return time.Duration(lesser(int64(a.Active), int64(limit)))
}

func left(limit, used int64) int64 {
	if limit == 0 {
		return 0
	}
	return max(limit-used, 1)
}

// lesser is the lesser of two limits; zero is no limit.
func lesser(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
