package daemon

import (
	"context"
	"time"

	"autopilot/daemon/budget"
	"autopilot/daemon/notify"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// admit says whether an agent of the run that works on an account may begin now,
// and what it may use.
func (d *Daemon) admit(ctx context.Context, s run.State, account string) (work.Allowance, events.Data, error) {
	allowed, not, err := d.budget.Allowance(s, time.Now())
	if err == nil && not == nil {
		not, err = d.accounts.Admit(ctx, s, account)
	}
	if err != nil || not != nil {
		d.machine.Drop(s.ID) // it waits for something else, and others may begin
		return allowed, not, err
	}
	not, most, err := d.machine.Slot(ctx, s)
	if not != nil {
		d.accounts.Withdraw(s.ID, account) // nor does it hold its place with the account
	}
	if most >= 0 {
		allowed.Capped, allowed.Cap = true, most
	}
	return allowed, not, err
}

// over says that an agent at work has to end for a limit of the day. The worker
// that asks is made before what it asks.
func (d *Daemon) over(id, effect string, u events.Usage) events.Cut {
	return d.budget.Over(id, effect, u)
}

// openBudget makes those that keep the limits of the day, and tell what is used.
func (d *Daemon) openBudget() {
	day := budget.NewDay(d.fleet)
	d.budget = budget.New(budget.Config{
		Limits: d.limits, Day: day, Runs: d.fleet, Actor: events.ActorDaemon(d.host), Log: d.cfg.Log,
		Live: d.worker.Live, Language: d.language, Notice: d.notice,
		Tell: func(notices []notify.Notice) { d.told("", notices) },
	})
	d.usage = &budget.Usage{
		Limits: d.limits, Day: day, Runs: d.fleet, Worker: d.worker, Text: d.text, Trusted: d.trusted,
		Accounts: func() []wire.AccountView { return d.accounts.Views(d.accountLabel) },
	}
}

// checkBudget refuses a run whose limits its agent cannot be held to.
func (d *Daemon) checkBudget(ctx context.Context, conf configured) error {
	found, err := d.flowOf(ctx, conf.Request)
	if err != nil {
		return err
	}
	var day []work.DayLimit
	for _, b := range conf.Budgets {
		day = append(day, work.DayLimit{Kind: b.Kind, Setting: b.Setting, File: conf.file(b.Setting)})
	}
	return d.worker.CheckBudget(conf.Request, found.Flow, conf.Agents, day)
}

// accountLabel is what a run calls an account.
func (d *Daemon) accountLabel(s run.State, account string) string {
	spec, err := d.worker.Spec(s)
	if err != nil {
		return ""
	}
	return work.AccountLabel(s, spec, account)
}
