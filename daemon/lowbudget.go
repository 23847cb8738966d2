package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/engine"
	"autopilot/daemon/notify"
	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// lowAt is from which part of a limit people are told, in percent.
const lowAt = 80

// low is a limit of which most is used.
type low struct {
	key  string // is told once
	what string
}

// tendBudgets tells of limits of which most is used, and lets runs go on whose
// limit of the day was raised, or is that of another day. Only tend calls it.
func (d *Daemon) tendBudgets(ctx context.Context, now time.Time) {
	first := d.warned == nil
	if first {
		d.warned = map[string]bool{}
	}
	var notices []notify.Notice
	live := map[string]bool{}
	for _, s := range d.fleet.liveStates() {
		live[s.ID] = true
		d.tendWait(ctx, s, now)
		for _, l := range d.lows(s, now, !first) {
			if d.warned[l.key] {
				continue
			}
			d.warned[l.key] = true
			// What was stored before this daemon began was told by the one before.
			if !first {
				notices = append(notices, d.notice(notify.BudgetLow, s, now, l.what))
			}
		}
	}
	if len(notices) > 0 {
		d.told("", notices)
	}
	d.budget.keep(live)
}

// keep drops the limits of runs that are not live.
func (b *budgets) keep(live map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.limits {
		if !live[id] {
			delete(b.limits, id)
		}
	}
}

// lows are the limits that a run counts for of which most is used; with live,
// what its agent has told counts too.
func (d *Daemon) lows(s run.State, now time.Time, live bool) []low {
	out := d.ownLows(s, live)
	limits, err := d.budgetsOf(s)
	if err != nil || len(limits) == 0 {
		return out
	}
	t := d.today(now)
	project := cmp.Or(s.Facts.From, s.Facts.Project)
	for _, l := range limits {
		part := t.share(l, project)
		if !live {
			part.working = nil
		}
		used, _ := d.spentOf(part, l.Kind, "", now)
		if !isLow(used, l.Limit) {
			continue
		}
		key, of := "day", "all runs may use today"
		if l.Project {
			key, of = project, "the runs of its project may use today"
		}
		out = append(out, low{
			key:  fmt.Sprint(key, " ", l.Kind, " ", t.begin.Unix()),
			what: fmt.Sprintf("goes on, but %s of the %s that %s are gone", explain.DayAmount(l.Kind, used), explain.DayAmount(l.Kind, l.Limit), of),
		})
	}
	return out
}

func (d *Daemon) ownLows(s run.State, live bool) (out []low) {
	used := s.Loop.Used
	if r, ok := d.worker.Live(s.ID); ok && live && s.AtWork() {
		used = run.Sum(used, r.Usage)
	}
	l := s.Facts.Limits
	for _, o := range []config.Budget{
		{Kind: events.LimitDayCost, Limit: l.MicroUSD}, {Kind: events.LimitDayTokens, Limit: l.Tokens}, {Kind: events.LimitDayTurns, Limit: int64(l.Turns)},
	} {
		if n := amountOf(used, o.Kind); o.Limit > 0 && isLow(n, o.Limit) {
			out = append(out, low{
				key:  fmt.Sprint(s.ID, " ", o.Kind),
				what: fmt.Sprintf("goes on, but %s of the %s that it may use are gone", explain.DayAmount(o.Kind, n), explain.DayAmount(o.Kind, o.Limit)),
			})
		}
	}
	return out
}

// isLow says that most of a limit is used.
func isLow(used, limit int64) bool {
	return limit-used <= limit/100*(100-lowAt)+limit%100*(100-lowAt)/100
}

// tendWait ends the wait of a run for a limit of the day that holds it no more.
func (d *Daemon) tendWait(ctx context.Context, s run.State, now time.Time) {
	if !s.WaitsForLimit() || kinds[s.Waiting.Cause] == "" || !now.Before(time.UnixMilli(s.Waiting.UntilMS)) {
		return
	}
	if _, not, err := d.allowance(s, now); err != nil || not != nil {
		return
	}
	if _, err := d.fleet.do(ctx, s.ID, engine.Lift{}, events.ActorDaemon(d.host), ""); err != nil {
		d.cfg.Log.Error("end a wait for a limit of the day", "run", s.ID, "error", err)
	}
}

// liveStates are the runs that are going on.
func (f *fleet) liveStates() []run.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []run.State
	for _, m := range f.runs {
		if m.head.Status == run.Live && m.state != nil && m.actor != nil {
			out = append(out, *m.state)
		}
	}
	return out
}
