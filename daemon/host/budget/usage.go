package budget

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// Heads are the runs whose use is told.
type Heads interface {
	Heads() []snapshot.Head
	State(id string) (run.State, bool)
}

// Worker knows what runs were started with, and where.
type Worker interface {
	Spec(s run.State) (stored.Spec, error)
	Workspace(ctx context.Context, dir string) (tree.Workspace, error)
}

// Usage tells people what is spent.
type Usage struct {
	Limits   *Limits
	Day      *Day
	Runs     Heads
	Worker   Worker
	Text     func(events.Ref) string
	Trusted  func(tree.Workspace, config.File) error // whether a person has agreed to a file
	Accounts func() []wire.AccountView
}

// Show answers what agents used: of all runs, or of the project that a
// directory is in.
func (u *Usage) Show(ctx context.Context, _ auth.Request, body wire.UsageRequest) (wire.UsageReport, error) {
	by := ledger.By(cmp.Or(body.By, string(ledger.ByDay)))
	if !slices.Contains(ledger.Ways(), by) {
		return wire.UsageReport{}, wire.Errorf(wire.Usage, "usage is not divided by %q", body.By).
			WithHint("--by day, project, agent, model or run")
	}
	z, err := ZoneNamed(body.Zone)
	if err != nil {
		return wire.UsageReport{}, err
	}
	var ws tree.Workspace
	if body.Workspace != "" {
		if ws, err = u.Worker.Workspace(ctx, body.Workspace); err != nil {
			return wire.UsageReport{}, err
		}
	}
	v := wire.UsageReport{Since: body.Since, By: string(by), Accounts: u.Accounts()}
	v.Rows, v.Total = ledger.Report(u.spent(by, ws.ID, body.Since), body.Since, z, by)
	if v.Rows == nil {
		v.Rows = []wire.UsageRow{}
	}
	v.Limits, err = u.limitViews(ws, time.Now())
	return v, err
}

// spent is what the agents of all runs used, or of those of a project, with the
// names that the rows of a report need. Runs that used nothing since are left
// out.
func (u *Usage) spent(by ledger.By, project string, since time.Time) iter.Seq[ledger.Entry] {
	heads := u.Runs.Heads()
	first := int64(math.MinInt64)
	if !since.IsZero() {
		first = since.Unix() / int64(run.Quarter/time.Second)
	}
	places := map[string]string{}
	return func(yield func(ledger.Entry) bool) {
		for _, h := range heads {
			if !h.Spent.Within(first, math.MaxInt64) || project != "" && !h.Belongs(project) {
				continue
			}
			e := ledger.Entry{Run: h.Handle, Agent: cmp.Or(h.Agent, "command"), Project: projectOf(h)}
			if by == ledger.ByProject {
				e.Project = u.place(places, h)
			}
			own := e.Agent
			for e.Spend = range h.Spent.All() {
				e.Agent = cmp.Or(e.Spend.Agent, own)
				if !yield(e) {
					return
				}
			}
		}
	}
}

// place is the path of a run's project, which is looked up once.
func (u *Usage) place(known map[string]string, h snapshot.Head) string {
	id := projectOf(h)
	if p, ok := known[id]; ok {
		return p
	}
	p := id
	if s, ok := u.Runs.State(h.ID); ok {
		p = cmp.Or(u.Text(s.Facts.Workspace), id)
		if spec, err := u.Worker.Spec(s); err == nil {
			p = cmp.Or(spec.From, p)
		}
	}
	known[id] = p
	return p
}

// limitViews are the limits of the day, with what is used of them: the user's,
// and those of a project if one is meant.
func (u *Usage) limitViews(ws tree.Workspace, now time.Time) ([]wire.LimitView, error) {
	user, err := u.Limits.User()
	if err != nil {
		return nil, config.Unusable(err)
	}
	l := config.Layers{User: &config.UserFile{User: *user}}
	if ws.Path != "" {
		p := config.ReadProject(config.ProjectPath(ws.Path))
		var untrusted *wire.Error
		switch err := u.Trusted(ws, p.File); {
		case err == nil && p.Err() == nil:
			l.Project = &p
		case err != nil && !errors.As(err, &untrusted):
			return nil, err
		}
	}
	t := u.Day.sum(now)
	out := []wire.LimitView{}
	for _, b := range l.Budgets() {
		v := wire.LimitView{Scope: "day", Kind: kinds[b.Kind], Limit: b.Limit, Until: t.next}
		if b.Project {
			if v.Scope = "project"; ws.ID == "" {
				continue
			}
		}
		v.Used, _ = u.Day.spent(t.share(b, ws.ID), b.Kind, "", now)
		out = append(out, v)
	}
	return out, nil
}

// kinds are the limits of a day as a report calls them.
var kinds = map[events.Limit]string{
	events.LimitDayCost: "cost", events.LimitDayTokens: "tokens", events.LimitDayTurns: "turns", events.LimitDayHours: "hours",
}

// View shows what the agents of a run used that have ended, and what of its
// own limits is used.
func View(v *wire.RunView, s run.State, now time.Time) {
	if spent := s.Spent.List(); len(spent) > 0 {
		sum := ledger.Sum(slices.Values(spent))
		v.Usage = &sum
	}
	l := s.Facts.Limits
	if l.MicroUSD == 0 && l.Tokens == 0 && l.Turns == 0 {
		return
	}
	used := s.Loop.Used
	v.Limits = &wire.Budget{MicroUSD: l.MicroUSD, Tokens: l.Tokens, Turns: l.Turns, ActiveMS: l.ActiveMS}
	v.Budgeted = &wire.Budget{MicroUSD: used.MicroUSD, Tokens: used.Tokens(), Turns: used.Turns, ActiveMS: s.Clock.Active(now).Milliseconds()}
}

// AddTold adds what an agent at work has told to what those before it used. A
// cost that it has not told yet is unknown, as it would be at its end.
func AddTold(v *wire.RunView, u events.Usage) {
	var sum wire.UsageSum
	if v.Usage != nil {
		sum = *v.Usage
	}
	sum = ledger.Add(sum, run.SpendOf(u))
	v.Usage = &sum
	if v.Budgeted != nil {
		v.Budgeted.MicroUSD += u.MicroUSD
		v.Budgeted.Tokens += u.Tokens()
		v.Budgeted.Turns += u.Turns
	}
}
