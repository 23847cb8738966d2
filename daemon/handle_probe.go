package daemon

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/bus"
	"autopilot/daemon/config"
	"autopilot/events/wire"
	"autopilot/probe/judge"
)

// probeShow answers what the machine has, what it can bear, and who waits for it.
func (d *Daemon) probeShow(ctx context.Context, _ bus.Request, _ wire.ProbeRequest) (wire.ProbeView, error) {
	now := d.machine.now()
	r := d.look(ctx, now)
	c, running, m := d.resources(), d.atWorkNow(), d.machine
	v := wire.ProbeView{Off: c.Policy == config.NoResources, Running: len(running), Waiting: []wire.ProbeWaiting{}}
	var err error
	if v.Reading, err = json.Marshal(r); err != nil {
		return v, fmt.Errorf("write a reading: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		_, slots, by := m.judged(bound{p, c.Bytes()}, c, running)
		view := m.bands[p].View(p, judge.Judge(r, p, judge.Defaults()), judge.Defaults())
		view.Slots, view.By = slots, string(by)
		v.Policies = append(v.Policies, view)
	}
	for _, a := range m.line.Waiting(now) {
		if s, ok := d.fleet.state(a.Run); ok {
			v.Waiting = append(v.Waiting, wire.ProbeWaiting{Run: s.Facts.Handle, Since: a.Since.UTC()})
		}
	}
	return v, nil
}
