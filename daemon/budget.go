package daemon

import (
	"context"

	"autopilot/daemon/host/budget"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
)

// openBudget makes those that keep the limits of the day, and tell what is used.
func (d *Daemon) openBudget() {
	day := budget.NewDay(d.fleet)
	d.budget = budget.New(budget.Config{
		Limits: d.limits, Day: day, Runs: d.fleet, Actor: events.ActorDaemon(d.host), Log: d.cfg.Log,
		Live: d.worker.Live, Language: d.language, Notice: d.notice,
		Tell: func(notices []notify.Notice) { d.told("", notices) },
	})
	d.usage = &budget.Usage{
		Limits: d.limits, Day: day, Runs: d.fleet, Worker: d.worker, Text: d.text, Trusted: d.trust.Check,
		Accounts: func() []wire.AccountView { return d.accounts.Views(d.accountLabel) },
	}
}

// over says that an agent at work has to end for a limit of the day. The worker
// that asks is made before what it asks.
func (d *Daemon) over(id, effect string, u events.Usage) events.Cut {
	return d.budget.Over(id, effect, u)
}

// checkBudget refuses a run whose limits its agent cannot be held to.
func (d *Daemon) checkBudget(ctx context.Context, conf configured) error {
	found, err := d.flows.Of(ctx, conf.Request)
	if err != nil {
		return err
	}
	var day []work.DayLimit
	for _, b := range conf.Budgets {
		day = append(day, work.DayLimit{Kind: b.Kind, Setting: b.Setting, File: conf.file(b.Setting)})
	}
	return d.worker.CheckBudget(conf.Request, found.Flow, conf.Agents, day)
}
