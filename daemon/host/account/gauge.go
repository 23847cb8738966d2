package account

import (
	"time"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// gauge keeps what the latest agent of a run was told of its limit. A run that ends
// leaves its gauge until the daemon ends.
func (c *Calendar) gauge(s run.State) {
	id := s.SessionAccount()
	if s.Last.End.Gauge.Percent == 0 || id == "" || s.AtWork() || s.Last.End.Effect != s.Last.Session.Effect {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, ok := c.gauges[id]; !ok || was.ID == s.ID || ended(was).Before(ended(s)) {
		c.gauges[id] = s
	}
}

// gauged are the gauges that still hold: a limit that was reset since is another one.
func (c *Calendar) gauged(now time.Time) map[string]run.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]run.State{}
	for id, s := range c.gauges {
		if ms := s.Last.End.Gauge.ResetMS; ms > 0 && now.UnixMilli() >= ms {
			delete(c.gauges, id)
			continue
		}
		out[id] = s
	}
	return out
}

func gaugeView(s run.State) *wire.GaugeView {
	g := s.Last.End.Gauge
	v := &wire.GaugeView{Window: string(g.Window), Percent: g.Percent, At: ended(s).UTC()}
	if g.ResetMS > 0 {
		at := time.UnixMilli(g.ResetMS).UTC()
		v.Resets = &at
	}
	return v
}
