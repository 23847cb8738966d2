package explain

import (
	"time"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Left lists the limits of a run that is not over, with what is left of each.
// What a person's new findings have given back counts as not used.
func Left(s run.State, now time.Time) []wire.WhyLeft {
	if s.Status != run.Live && s.Status != run.Halted {
		return nil
	}
	l, used := s.Facts.Limits, s.Loop.Used
	var out []wire.WhyLeft
	add := func(kind string, limit, used int64, unknown bool) {
		if limit > 0 {
			out = append(out, wire.WhyLeft{Kind: kind, Limit: limit, Used: used, Left: max(0, limit-used), Unknown: unknown})
		}
	}
	add("iterations", int64(s.Budget()), int64(s.Loop.Spent), false)
	add("hours", l.ActiveMS, s.Clock.Active(now).Milliseconds(), false)
	if l.UntilMS > 0 {
		begun := s.Clock.Started.UnixMilli()
		add("until", max(1, l.UntilMS-begun), max(0, now.UnixMilli()-begun), false)
	}
	add("cost", l.MicroUSD, used.MicroUSD, s.Loop.Unpriced > 0)
	add("tokens", l.Tokens, used.Tokens(), s.Loop.Unfed > 0)
	add("turns", int64(l.Turns), int64(used.Turns), false)
	return out
}
