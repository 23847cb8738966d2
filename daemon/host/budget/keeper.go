package budget

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/config"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/projections/run"
)

// Runs are those that limits are kept for.
type Runs interface {
	State(id string) (run.State, bool)
	// LiveStates are the runs that are going on. The states are only read.
	LiveStates() []*run.State
	Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error)
}

// Config is what a Keeper works with. All fields are needed.
type Config struct {
	Limits *Limits
	Day    *Day
	Runs   Runs
	Actor  string // of the daemon
	Log    *slog.Logger
	// Live is what the agent at work of a run has told.
	Live     func(run string) (meter.Reading, bool)
	Language func(run.State) events.Language
	Notice   func(kind notify.Kind, s run.State, at time.Time, what string) notify.Notice
	Tell     func([]notify.Notice)
}

// Keeper holds runs to the limits of the day. Its methods may be called from any
// goroutine, but for Tend.
type Keeper struct {
	cfg    Config
	warned map[string]bool // limits of which most is used, that were told of; only Tend has it
}

// New makes a Keeper. It starts nothing.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg} }

// Over says that an agent at work has to end, as it and all others together have
// used what the day allows. Each line that it tells is looked at, so agents that
// work at once pass a limit by their last line each.
func (k *Keeper) Over(id, effect string, u events.Usage) events.Cut {
	k.cfg.Day.tell(id, effect, u)
	s, ok := k.cfg.Runs.State(id)
	if !ok {
		return ""
	}
	limits, err := k.cfg.Limits.day(s)
	if err != nil {
		k.cfg.Log.Error("limits of the day", "run", id, "error", err)
	}
	if len(limits) == 0 {
		return ""
	}
	now := time.Now()
	t := k.cfg.Day.sum(now)
	for _, l := range limits {
		used, _ := k.cfg.Day.spent(t.share(l, cmp.Or(s.Facts.From, s.Facts.Project)), l.Kind, id, now)
		if used+amountOf(u, l.Kind) >= l.Limit {
			if cut, ok := cuts[l.Kind]; ok {
				return cut
			}
		}
	}
	return ""
}

// cuts are why a turn is ended for a limit of the day. Hours are given before.
var cuts = map[events.Limit]events.Cut{
	events.LimitDayCost: events.CutCost, events.LimitDayTokens: events.CutTokens, events.LimitDayTurns: events.CutTurns,
}

// Allowance is what the limits of the day leave for an agent of a run that
// begins now; without anything left, the event says until when the run waits, or
// that it was told not to.
func (k *Keeper) Allowance(s run.State, now time.Time) (work.Allowance, events.Data, error) {
	limits, err := k.cfg.Limits.day(s)
	if err != nil || len(limits) == 0 {
		return work.Allowance{}, nil, err
	}
	t := k.cfg.Day.sum(now)
	var out work.Allowance
	for _, l := range limits {
		part := t.share(l, cmp.Or(s.Facts.From, s.Facts.Project))
		used, held := k.cfg.Day.spent(part, l.Kind, s.ID, now)
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
