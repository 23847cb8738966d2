package machine

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/config"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/host"
)

// Record is where a verdict is stored.
type Record struct {
	Host  *journal.Aggregate[host.State]
	Texts *blob.Store
	Actor string // who judges, and tells the runs
}

// verdicts are the latest that are stored, by policy.
type verdicts struct {
	mu      sync.Mutex
	of      map[judge.Policy]events.ResourcesJudged
	telling sync.Mutex // one verdict at a time to those that wait
}

// load takes what was stored before.
func (v *verdicts) load(stored map[string]events.ResourcesJudged) {
	for p, data := range stored {
		v.keep(judge.Policy(p), data)
	}
}

func (v *verdicts) latest(p judge.Policy) (events.ResourcesJudged, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	data, ok := v.of[p]
	return data, ok
}

func (v *verdicts) keep(p judge.Policy, data events.ResourcesJudged) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[judge.Policy]events.ResourcesJudged{}
	}
	v.of[p] = data
}

// tellVerdict stores a verdict that has changed: with the host, and with every run
// that waits for the machine.
func (m *Machine) tellVerdict(ctx context.Context) {
	c := m.resources()
	if c.Policy == config.NoResources {
		return
	}
	at := m.atWork()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		data, changed, err := m.verdict(ctx, p, c, at)
		if err != nil || !changed {
			if err != nil {
				m.cfg.Log.Error("store what the machine bears", "error", err)
			}
			continue
		}
		m.cfg.Go(func() { m.tellWaiting(ctx, p, data, c) })
	}
}

// tellWaiting tells the runs that wait for the machine of its verdict, until there
// is another. Each is told by an event, and there may be a thousand: nobody's turn
// waits for that.
func (m *Machine) tellWaiting(ctx context.Context, p judge.Policy, data events.ResourcesJudged, c config.Resources) {
	m.told.telling.Lock()
	defer m.told.telling.Unlock()
	for _, s := range m.cfg.Runs.LiveStates() {
		if now, _ := m.told.latest(p); ctx.Err() != nil || now != data {
			return
		}
		if flow, err := m.cfg.Settings.Flow(ctx, *s); err != nil || !inLine(s) || c.PolicyOf(flow) != p {
			continue
		}
		err := m.do(ctx, s.ID, engine.Judged{ResourcesJudged: data})
		if err != nil && !errors.Is(err, engine.ErrOver) && !errors.Is(err, engine.ErrNotWaiting) {
			m.cfg.Log.Error("tell a run what the machine bears", "run", s.ID, "error", err)
		}
	}
}

// verdict stores the verdict of a policy with the host, if it has changed. That of
// a policy by which no run is judged is not looked at: Tiers only where some run
// asks for it.
func (m *Machine) verdict(ctx context.Context, p judge.Policy, c config.Resources, at []agentAt) (events.ResourcesJudged, bool, error) {
	was, known := m.told.latest(p)
	v := m.gauge.latest()
	j, room, by := v.judged(bound{p, c.Bytes()}, c, at)
	if !known && j.Verdict == judge.Green {
		was.Verdict = events.Name(judge.Green) // nobody has to be told that all is well
	}
	if events.Name(j.Verdict) == was.Verdict || p == judge.Tiers && !m.inPolicy(ctx, p, c) {
		return was, false, nil
	}
	data := events.ResourcesJudged{
		Policy: events.Name(p), Verdict: events.Name(j.Verdict), Before: was.Verdict, Slots: room, By: events.Name(by),
	}
	if data.Signal = worst(j); data.Signal.Of != "" {
		data.Axis = events.Name(j.Signals[0].Axis)
	}
	text, err := json.Marshal(struct {
		Reading   judge.Reading   `json:"reading"`
		Judgement judge.Judgement `json:"judgement"`
	}{v.reading, j})
	if err != nil {
		return data, false, err
	}
	if data.Reading, err = m.cfg.Record.Texts.Put(ctx, text); err != nil {
		return data, false, err
	}
	if _, err := m.cfg.Record.Host.Append(ctx, data, m.cfg.Record.Actor, ""); err != nil {
		return data, false, err
	}
	m.told.keep(p, data)
	return data, true, nil
}

// inPolicy says that a live run is judged by it.
func (m *Machine) inPolicy(ctx context.Context, p judge.Policy, c config.Resources) bool {
	for _, s := range m.cfg.Runs.LiveStates() {
		if flow, err := m.cfg.Settings.Flow(ctx, *s); err == nil && c.PolicyOf(flow) == p {
			return true
		}
	}
	return false
}
