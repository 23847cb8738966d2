package daemon

import (
	"cmp"
	"context"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/projections/run"
)

// admit says whether an agent of the run that works on an account may begin now,
// and what it may use.
func (d *Daemon) admit(ctx context.Context, s run.State, account string) (work.Allowance, events.Data, error) {
	allowed, not, err := d.allowance(s, time.Now())
	if err == nil && not == nil {
		not, err = d.accounts.Admit(ctx, s, account)
	}
	if err != nil || not != nil {
		d.machine.drop(s.ID) // it waits for something else, and others may begin
		return allowed, not, err
	}
	not, most, err := d.slot(ctx, s, d.machine.now())
	if not != nil {
		d.accounts.Withdraw(s.ID, account) // nor does it hold its place with the account
	}
	if most >= 0 {
		allowed.Capped, allowed.Cap = true, most
	}
	return allowed, not, err
}

// allowance is what the limits of the day leave for an agent of a run that
// begins now; without anything left, the event says until when the run waits, or
// that it was told not to.
func (d *Daemon) allowance(s run.State, now time.Time) (work.Allowance, events.Data, error) {
	limits, err := d.budgetsOf(s)
	if err != nil || len(limits) == 0 {
		return work.Allowance{}, nil, err
	}
	t := d.today(now)
	var out work.Allowance
	for _, l := range limits {
		part := t.share(l, cmp.Or(s.Facts.From, s.Facts.Project))
		used, held := d.spentOf(part, l.Kind, s.ID, now)
		left := l.Limit - used - held
		until := t.next
		if used < l.Limit { // others have been given all of it
			until = firstEnd(part.working, s.ID, until)
		}
		// An attempt that was lost is repeated at once; it is cut as soon as it
		// tells anything.
		if left <= 0 && (s.Stage == run.Ready || s.Stage == run.Judged) {
			return work.Allowance{}, spentUp(s, l, used, until), nil
		}
		if h, ok := untold(s, l); ok {
			h.Used = used
			return work.Allowance{}, h, nil
		}
		out = out.Within(l.Kind, max(left, 1))
	}
	return out, nil, nil
}

// untold halts a run of which two agents in a row have not told what a limit is
// about: it cannot be kept then.
func untold(s run.State, l config.Budget) (events.RunHalted, bool) {
	h := events.RunHalted{Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Limit: l.Limit, Tree: s.Last.Tree}
	switch {
	case l.Kind == events.LimitDayCost && s.Loop.Unpriced > 1:
		h.Reason = events.HaltCost
	case l.Kind == events.LimitDayTokens && s.Loop.Unfed > 1:
		h.Reason = events.HaltTokens
	}
	return h, h.Reason != ""
}

// firstEnd is when the first agent of other runs has to be over.
func firstEnd(at []working, except string, end time.Time) time.Time {
	for _, w := range at {
		if by := w.began.Add(w.wall); w.run != except && by.Before(end) {
			end = by
		}
	}
	return end
}

func spentUp(s run.State, l config.Budget, used int64, until time.Time) events.Data {
	if s.Facts.Limits.NoWait {
		return events.RunHalted{
			Reason: events.HaltLimit, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Value: string(l.Kind),
			Limit: l.Limit, Used: used, UntilMS: until.UnixMilli(), Tree: s.Last.Tree,
		}
	}
	return events.LimitWaiting{Cause: l.Kind, UntilMS: until.UnixMilli(), Limit: l.Limit, Used: used}
}
