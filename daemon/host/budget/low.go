package budget

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// lowAt is from which part of a limit people are told, in percent.
const lowAt = 80

// low is a limit of which most is used.
type low struct {
	key  string // is told once
	what string
}

// Tend tells of limits of which most is used, and lets runs go on whose
// limit of the day was raised, or is that of another day. One goroutine calls it.
func (k *Keeper) Tend(ctx context.Context, now time.Time) {
	first := k.warned == nil
	if first {
		k.warned = map[string]bool{}
	}
	var notices []notify.Notice
	live := map[string]bool{}
	for _, at := range k.cfg.Runs.LiveStates() {
		s := *at
		live[s.ID] = true
		k.tendWait(ctx, s, now)
		for _, l := range k.lows(s, now, !first) {
			if k.warned[l.key] {
				continue
			}
			k.warned[l.key] = true
			// What was stored before this daemon began was told by the one before.
			if !first {
				notices = append(notices, k.cfg.Notice(notify.BudgetLow, s, now, l.what))
			}
		}
	}
	if len(notices) > 0 {
		k.cfg.Tell(notices)
	}
	k.cfg.Limits.keep(live)
}

// lows are the limits that a run counts for of which most is used; with live,
// what its agent has told counts too.
func (k *Keeper) lows(s run.State, now time.Time, live bool) []low {
	out := k.ownLows(s, live)
	limits, err := k.cfg.Limits.day(s)
	if err != nil || len(limits) == 0 {
		return out
	}
	t := k.cfg.Day.sum(now)
	project := cmp.Or(s.Facts.From, s.Facts.Project)
	l := k.cfg.Language(s)
	for _, limit := range limits {
		part := t.share(limit, project)
		if !live {
			part.working = nil
		}
		used, _ := k.cfg.Day.spent(part, limit.Kind, "", now)
		if !isLow(used, limit.Limit) {
			continue
		}
		key, of := "day", phrase.Say(l, "all runs may use today", "今日の全実行")
		if limit.Project {
			key, of = project, phrase.Say(l, "the runs of its project may use today", "今日のこのプロジェクトの実行")
		}
		out = append(out, low{
			key: fmt.Sprint(key, " ", limit.Kind, " ", t.begin.Unix()),
			what: phrase.Say(l, "goes on, but %s of the %s that %s are gone", "継続中。ただし使用量は %s(上限 %s、%s)",
				explain.DayAmount(l, limit.Kind, used), explain.DayAmount(l, limit.Kind, limit.Limit), of),
		})
	}
	return out
}

func (k *Keeper) ownLows(s run.State, live bool) (out []low) {
	used := s.Loop.Used
	if r, ok := k.cfg.Live(s.ID); ok && live && s.AtWork() {
		used = run.Sum(used, r.Usage)
	}
	limits, l := s.Facts.Limits, k.cfg.Language(s)
	for _, o := range []config.Budget{
		{Kind: events.LimitDayCost, Limit: limits.MicroUSD}, {Kind: events.LimitDayTokens, Limit: limits.Tokens}, {Kind: events.LimitDayTurns, Limit: int64(limits.Turns)},
	} {
		if n := amountOf(used, o.Kind); o.Limit > 0 && isLow(n, o.Limit) {
			out = append(out, low{
				key: fmt.Sprint(s.ID, " ", o.Kind),
				what: phrase.Say(l, "goes on, but %s of the %s that it may use are gone", "継続中。ただし使用量は %s(上限 %s)",
					explain.DayAmount(l, o.Kind, n), explain.DayAmount(l, o.Kind, o.Limit)),
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
func (k *Keeper) tendWait(ctx context.Context, s run.State, now time.Time) {
	if !s.WaitsForLimit() || kinds[s.Waiting.Cause] == "" || !now.Before(time.UnixMilli(s.Waiting.UntilMS)) {
		return
	}
	if _, not, err := k.Allowance(s, now); err != nil || not != nil {
		return
	}
	if _, err := k.cfg.Runs.Do(ctx, s.ID, engine.Lift{}, k.cfg.Actor, ""); err != nil {
		k.cfg.Log.Error("end a wait for a limit of the day", "run", s.ID, "error", err)
	}
}
