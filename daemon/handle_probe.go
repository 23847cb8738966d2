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
	c, running, m := d.resources(), len(d.atWorkNow("")), d.machine
	v := wire.ProbeView{Off: c.Policy == config.NoResources, Running: running, Waiting: []wire.ProbeWaiting{}}
	var err error
	if v.Reading, err = json.Marshal(r); err != nil {
		return v, fmt.Errorf("write a reading: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		j, slots, by := m.judged(p, c, running)
		v.Policies = append(v.Policies, policyView(p, m.bands[p], judge.Judge(r, p, judge.Defaults()), j.Cap, slots, by))
	}
	for _, a := range m.line.Waiting(now) {
		if s, ok := d.fleet.state(a.Run); ok {
			v.Waiting = append(v.Waiting, wire.ProbeWaiting{Run: s.Facts.Handle, Since: a.Since.UTC()})
		}
	}
	return v, nil
}

func policyView(p judge.Policy, b judge.Band, j judge.Judgement, most, slots int, by judge.Reason) wire.ProbePolicy {
	v := wire.ProbePolicy{
		Policy: string(p), Band: string(b.Verdict), Since: b.Since.UTC(), Verdict: string(j.Verdict), Cap: most, Slots: slots, By: string(by),
		Signals: []wire.ProbeSignal{}, Unknown: []string{},
	}
	for _, s := range j.Signals {
		v.Signals = append(v.Signals, wire.ProbeSignal{
			Axis: string(s.Axis), Level: string(s.Level), Of: s.Of, Value: s.Value, Limit: s.Limit, Unit: string(s.Unit),
		})
	}
	for _, a := range j.Unknown {
		v.Unknown = append(v.Unknown, string(a))
	}
	return v
}
