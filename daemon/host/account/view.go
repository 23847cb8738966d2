package account

import (
	"cmp"
	"slices"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Views are the accounts that have a limit now or a gauge, or whose runs are live. A label is
// what a run calls an account; empty where that cannot be read.
func (c *Calendar) Views(label func(s run.State, account string) string) []wire.AccountView {
	ids, gauges := c.Known(), c.gauged(c.cfg.Now())
	for id := range gauges {
		ids = append(ids, id)
	}
	for _, s := range c.cfg.Runs.NotOver() {
		if s.Status == run.Live {
			ids = append(ids, s.Accounts()...)
		}
	}
	slices.Sort(ids)
	out := []wire.AccountView{}
	for _, id := range slices.Compact(ids) {
		v := c.view(id, label)
		if s, ok := gauges[id]; ok {
			v.Gauge, v.Label = gaugeView(s), cmp.Or(v.Label, label(s, id))
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b wire.AccountView) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (c *Calendar) view(id string, label func(run.State, string) string) wire.AccountView {
	a, _ := c.State(id)
	v := wire.AccountView{ID: id, State: "ok", Source: string(a.Source), Slots: a.Slots, Working: []string{}, Waiting: []string{}}
	switch {
	case a.Refused.Cause != "":
		v.State = string(a.Refused.Cause)
	case a.Cause != "" && c.cfg.Now().Before(a.Until): // one that is over is no limit
		v.State, v.Until = string(a.Cause), &a.Until
	}
	runs := c.of(id)
	slices.SortFunc(runs, func(x, y *run.State) int { return cmp.Compare(x.ID, y.ID) })
	for _, s := range runs {
		if v.Label == "" {
			v.Label = label(*s, id)
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
