package daemon

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/config"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// Limits of a calendar day count over runs. What was stored is a fold of the
// runs' own logs; what agents at work use beside it is known as they tell it,
// and is gone with the process.

// budgets is what the daemon keeps between two looks at the limits of the day.
type budgets struct {
	mu     sync.Mutex
	user   *config.User // the last that could be read
	seen   string       // how its file looked then
	prices *price.Table // with the user's
	limits map[string]limited
	told   map[string]told // what agents at work have told, by run
	today  today
}

// limited is what the files say of one run beside its own limits, by the user's
// file that it was read from.
type limited struct {
	user   *config.User
	list   []config.Budget // of the day
	bounds config.Bounds   // of what its agents take of the machine
}

// told is what an agent has told.
type told struct {
	effect string
	usage  events.Usage
}

// spentOf is what the share holds of a kind: stored, and told by agents at work
// of other runs. Of hours an agent at work holds all that it was given; held is
// that beyond what it has used of it.
func (d *Daemon) spentOf(s share, kind events.Limit, except string, now time.Time) (used, held int64) {
	used = part(s.stored, kind)
	d.budget.mu.Lock()
	defer d.budget.mu.Unlock()
	for _, w := range s.working {
		if w.run == except {
			continue
		}
		if kind == events.LimitDayHours {
			worked := max(now.Sub(w.began), 0)
			used += worked.Milliseconds()
			held += max(w.wall-worked, 0).Milliseconds()
		} else if t := d.budget.told[w.run]; t.effect == w.effect {
			used += amountOf(t.usage, kind)
		}
	}
	return used, held
}

// part is the amount of a sum that a limit is about.
func part(s wire.UsageSum, kind events.Limit) int64 {
	switch kind {
	case events.LimitDayCost:
		return s.MicroUSD
	case events.LimitDayTokens:
		return s.Tokens
	case events.LimitDayTurns:
		return int64(s.Turns)
	case events.LimitDayHours:
		return s.ActiveMS
	case events.LimitRate, events.LimitOverload, events.LimitSlots, events.LimitResources:
	}
	return 0
}

func amountOf(u events.Usage, kind events.Limit) int64 {
	return part(ledger.Add(wire.UsageSum{}, run.Spend{Usage: u}), kind)
}

// budgetsOf are the limits of the day that a run counts for: the user's as they
// are now, and the project's as they were trusted for it.
func (d *Daemon) budgetsOf(s run.State) ([]config.Budget, error) {
	l, err := d.limitedOf(s)
	return l.list, err
}

func (d *Daemon) limitedOf(s run.State) (limited, error) {
	user, err := d.budgetUser()
	if err != nil {
		return limited{}, err
	}
	b := &d.budget
	b.mu.Lock()
	known, ok := b.limits[s.ID]
	b.mu.Unlock()
	if ok && known.user == user {
		return known, nil
	}
	l := config.Layers{User: &config.UserFile{User: *user}}
	if s.Facts.Config != "" {
		src, err := d.blobs.Get(s.Facts.Config)
		if err != nil {
			return limited{}, fmt.Errorf("read the configuration of the run: %w", err)
		}
		p := config.ParseProject("", src)
		l.Project = &p
	}
	known = limited{user, l.Budgets(), l.Bounds()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limits == nil {
		b.limits = map[string]limited{}
	}
	b.limits[s.ID] = known
	return known, nil
}

// budgetUser reads the user's file, where it has changed. One that cannot be
// read lifts no limit: the last that could be counts, and without one no agent
// begins.
func (d *Daemon) budgetUser() (*config.User, error) {
	b := &d.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := sight(d.cfg.Places.Config)
	if b.user != nil && seen == b.seen {
		return b.user, nil
	}
	f := config.ReadUser(d.cfg.Places.Config)
	switch err := f.Err(); {
	case err == nil:
		b.user, b.prices = &f.User, d.prices.With(f.Rates())
	case b.user == nil:
		return nil, fmt.Errorf("read the limits of the day: %w", err)
	}
	b.seen = seen
	return b.user, nil
}

// sight is what changes when a file is written or replaced.
func sight(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

// priceTable is the built-in table with the user's prices over it.
func (d *Daemon) priceTable() *price.Table {
	b := &d.budget
	b.mu.Lock()
	t := b.prices
	b.mu.Unlock()
	if t != nil {
		return t
	}
	if _, err := d.budgetUser(); err != nil {
		return d.prices // the file says nothing, and no agent begins before it can be read
	}
	return d.priceTable()
}

// over says that an agent at work has to end, as it and all others together have
// used what the day allows. Each line that it tells is looked at, so agents that
// work at once pass a limit by their last line each.
func (d *Daemon) over(id, effect string, u events.Usage) events.Cut {
	b := &d.budget
	b.mu.Lock()
	if b.told == nil {
		b.told = map[string]told{}
	}
	b.told[id] = told{effect, u}
	b.mu.Unlock()
	s, ok := d.fleet.State(id)
	if !ok {
		return ""
	}
	limits, err := d.budgetsOf(s)
	if err != nil {
		d.cfg.Log.Error("limits of the day", "run", id, "error", err)
	}
	if len(limits) == 0 {
		return ""
	}
	now := time.Now()
	t := d.today(now)
	for _, l := range limits {
		used, _ := d.spentOf(t.share(l, cmp.Or(s.Facts.From, s.Facts.Project)), l.Kind, id, now)
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

// file is the place of a setting that was used.
func (c configured) file(key string) string {
	for _, v := range c.Used {
		if v.Key == key {
			return v.Where
		}
	}
	return "your configuration"
}
