package account

import (
	"cmp"
	"context"
	"fmt"

	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

// Refusal is what halted the run: what its account says, and once that is past,
// what the agent met that the halt goes back to.
func (c *Calendar) Refusal(ctx context.Context, s run.State, h events.RunHalted) folded.Refused {
	a, err := c.learnOf(ctx, s, h.Account)
	if err == nil && a.Refused.Cause != "" && (h.Cause != "" || !s.Clock.Agent.After(a.Refused.At)) {
		return a.Refused
	}
	first := s
	if h.Cause != "" {
		first, _ = c.cfg.Runs.State(h.Cause)
	}
	return folded.Refused{Run: first.ID, Effect: first.Last.Agent.Effect, At: s.Clock.Agent}
}

// LimitKey is the same for all runs that wait for one limit, and for all waits
// as long as it holds.
func (c *Calendar) LimitKey(w events.LimitWaiting) string {
	if w.Account == "" {
		return fmt.Sprintf("limit-%s-%d", w.Cause, cmp.Or(w.ResetMS, w.UntilMS))
	}
	begun := w.ResetMS
	if a, ok := c.State(w.Account); ok && a.Cause != "" {
		begun = a.Since.UnixMilli()
	}
	return fmt.Sprintf("limit-%s-%s-%d", w.Cause, w.Account, begun)
}

// HaltedWith counts the other runs that a refusal halts: those that it has
// halted, and those that are live and will be.
func (c *Calendar) HaltedWith(s run.State, by folded.Refused, id string) (n int) {
	for _, o := range c.of(id) {
		switch {
		case o.ID == s.ID:
		case o.Status == run.Live && o.Worker().Account == id && !o.Clock.Since.After(by.At),
			o.Status == run.Halted && o.Halt.Account == id && o.Halt.Reason != events.HaltLimit && !o.Clock.Latest.Before(by.At):
			n++
		}
	}
	return n
}
