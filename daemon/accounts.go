package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"autopilot/daemon/account"
	"autopilot/daemon/engine"
	"autopilot/daemon/journal"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	limits "autopilot/projections/account"
	"autopilot/projections/chain"
	"autopilot/projections/run"
)

// newAccounts is the calendar of the accounts that the runs of a fleet work on.
// It hears of every change of one.
// Where a team shares them, open is where they are.
func newAccounts(f *fleet, j *journal.Journal, actor string, l *slog.Logger, open func(ctx context.Context, id string) (account.Record, error)) *account.Calendar {
	if open == nil {
		open = func(ctx context.Context, id string) (account.Record, error) { return openAccount(ctx, j, id, actor, l) }
	}
	return account.New(account.Config{Open: open, Runs: accountRuns{f, actor}, Now: j.Now, Log: l})
}

// accountLog is the writer of an account's events.
type accountLog struct {
	own   *journal.Aggregate[limits.State]
	actor string
}

func openAccount(ctx context.Context, j *journal.Journal, id, actor string, l *slog.Logger) (accountLog, error) {
	r, err := journal.Open(ctx, j, events.Account(id), journal.Fold[limits.State]{
		Evolve: limits.Evolve,
		Log:    func(s *limits.State) *chain.Log { return &s.Log },
	}, l)
	return accountLog{r, actor}, err
}

// State implements account.Record.
func (a accountLog) State() limits.State { return a.own.State() }

// Append implements account.Record.
func (a accountLog) Append(ctx context.Context, d events.Data) error {
	_, err := a.own.Append(ctx, d, a.actor, "")
	return err
}

// accountRuns are the runs of a fleet by the accounts that they may work on.
type accountRuns struct {
	f     *fleet
	actor string
}

// Of implements account.Runs.
func (r accountRuns) Of(id string) []*run.State {
	var out []*run.State
	for _, s := range r.f.NotOver() {
		if s.Uses(id) {
			out = append(out, s)
		}
	}
	return out
}

// Do implements account.Runs.
func (r accountRuns) Do(ctx context.Context, id string, c engine.Command) error {
	_, err := r.f.Do(ctx, id, c, r.actor, "")
	return err
}

// open are the ids of accounts that have a live run.
func (r accountRuns) open() []string {
	var out []string
	for _, s := range r.f.NotOver() {
		if s.Status == run.Live {
			out = append(out, s.Accounts()...)
		}
	}
	return out
}

// accountViews are the accounts that have a limit now, or whose runs are live.
func (d *Daemon) accountViews() []wire.AccountView {
	ids := append(accountRuns{f: d.fleet}.open(), d.accounts.Known()...)
	slices.Sort(ids)
	out := []wire.AccountView{}
	for _, id := range slices.Compact(ids) {
		out = append(out, d.accountView(id))
	}
	slices.SortFunc(out, func(a, b wire.AccountView) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (d *Daemon) accountView(id string) wire.AccountView {
	a, _ := d.accounts.State(id)
	v := wire.AccountView{ID: id, State: "ok", Source: string(a.Source), Slots: a.Slots, Working: []string{}, Waiting: []string{}}
	switch {
	case a.Refused.Cause != "":
		v.State = string(a.Refused.Cause)
	case a.Cause != "":
		v.State, v.Until = string(a.Cause), at(a.Until)
	}
	runs := accountRuns{f: d.fleet}.Of(id)
	slices.SortFunc(runs, func(x, y *run.State) int { return cmp.Compare(x.ID, y.ID) })
	for _, s := range runs {
		if spec, err := d.worker.Spec(*s); err == nil && v.Label == "" {
			v.Label = work.AccountLabel(*s, spec, id)
		}
		switch {
		case s.Status != run.Live:
		case s.AtWork() && s.SessionAccount() != id:
		case s.AtWork():
			v.Working = append(v.Working, s.Facts.Handle)
		case s.WaitsForLimit() && s.Waiting.Account == id:
			v.Waiting = append(v.Waiting, s.Facts.Handle)
		}
	}
	return v
}
