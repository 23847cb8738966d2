package daemon

import (
	"autopilot/daemon/host/budget"
	"autopilot/daemon/report/notify"
	"autopilot/events"
	"autopilot/events/wire"
)

// openBudget makes those that keep the limits of the day, and tell what is used.
func (d *Daemon) openBudget() {
	day := budget.NewDay(d.Fleet)
	d.budget = budget.New(budget.Config{
		Limits: d.Limits, Day: day, Runs: d.Fleet, Actor: events.ActorDaemon(d.HostID), Log: d.cfg.Log,
		Live: d.Worker.Live, Language: d.api.Language, Notice: d.notice,
		Tell: func(notices []notify.Notice) { d.told("", notices) },
	})
	d.Usage = &budget.Usage{
		Limits: d.Limits, Day: day, Runs: d.Fleet, Worker: d.Worker, Text: d.api.Text, Trusted: d.Trust.Check,
		Accounts: func() []wire.AccountView { return d.Accounts.Views(d.accountLabel) },
	}
}

// over says that an agent at work has to end for a limit of the day. The worker
// that asks is made before what it asks.
func (d *Daemon) over(id, effect string, u events.Usage) events.Cut {
	return d.budget.Over(id, effect, u)
}
