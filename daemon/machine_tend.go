package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/config"
	"autopilot/daemon/engine"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// tendMachine looks at the machine while a run is live, stores what has changed of
// its verdict, and lets those in line go as there is room.
func (d *Daemon) tendMachine(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if d.fleet.live() > 0 {
				d.look(ctx, d.machine.now())
				d.tellVerdict(ctx)
			}
			d.leaveMachine(d.machine.now())
		case <-d.machine.kick:
		}
		d.fillLine(ctx, d.machine.now())
	}
}

// seen hears of every change of a run: one whose agent is at work has used its
// grant, however soon it ends, and one whose agent has ended left a slot.
func (m *machine) seen(s run.State) {
	if s.AtWork() || s.Status != run.Live {
		m.noted.Lock()
		m.began = append(m.began, s.ID)
		m.noted.Unlock()
	}
	if s.AtWork() {
		return
	}
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// fillLine lets go who may begin. Who does not wait any more gives its slot back.
func (d *Daemon) fillLine(ctx context.Context, now time.Time) {
	c := d.resources()
	at := d.atWorkNow("")
	m := d.machine
	m.mu.Lock()
	m.settle()
	let := m.line.Fill(m.room(c, len(at)), at, now, d.waitsForMachine)
	m.mu.Unlock()
	for _, id := range let {
		_, err := d.fleet.do(ctx, id, engine.Lift{}, events.ActorDaemon(d.host), "")
		if err == nil {
			continue
		}
		m.drop(id)
		if !errors.Is(err, engine.ErrOver) && !errors.Is(err, engine.ErrNotWaiting) {
			d.cfg.Log.Error("let a run go on", "run", id, "error", err)
		}
	}
}

// leaveMachine takes those out of the line that do not wait for the machine any
// more.
func (d *Daemon) leaveMachine(now time.Time) {
	m := d.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.line.Waiting(now) {
		if now.Sub(a.Since) >= sampleFresh && !d.waitsForMachine(a.Run) { // before, it may be about to store that it waits
			m.line.Drop(a.Run)
		}
	}
}

// waitsForMachine says that a run stands in line, by its own record.
func (d *Daemon) waitsForMachine(id string) bool {
	s, ok := d.fleet.state(id)
	return ok && s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources && s.Stop == ""
}

// tellVerdict stores a verdict that has changed: with the host, and with every run
// that waits for the machine.
func (d *Daemon) tellVerdict(ctx context.Context) {
	c := d.resources()
	if c.Policy == config.NoResources {
		return
	}
	at := len(d.atWorkNow(""))
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		data, changed, err := d.verdict(ctx, p, c, at)
		if err != nil || !changed {
			if err != nil {
				d.cfg.Log.Error("store what the machine bears", "error", err)
			}
			continue
		}
		for _, s := range d.fleet.liveStates() {
			if !d.waitsForMachine(s.ID) {
				continue
			}
			if _, err := d.fleet.do(ctx, s.ID, engine.Judged{ResourcesJudged: data}, events.ActorDaemon(d.host), ""); err != nil {
				d.cfg.Log.Error("tell a run what the machine bears", "run", s.ID, "error", err)
			}
		}
	}
}

// verdict stores the verdict of a policy with the host, if it has changed. That of
// a policy by which no run is judged is not looked at: Tiers only where some run
// asks for it.
func (d *Daemon) verdict(ctx context.Context, p judge.Policy, c config.Resources, at int) (events.ResourcesJudged, bool, error) {
	m := d.machine
	m.mu.Lock()
	was, known := m.told[p]
	j, room, by := m.judged(p, c, at)
	r := m.reading
	m.mu.Unlock()
	if !known && j.Verdict == judge.Green {
		was.Verdict = events.Name(judge.Green) // nobody has to be told that all is well
	}
	if events.Name(j.Verdict) == was.Verdict || p == judge.Tiers && !d.inPolicy(ctx, p, c) {
		return was, false, nil
	}
	data := events.ResourcesJudged{
		Policy: events.Name(p), Verdict: events.Name(j.Verdict), Before: was.Verdict, Slots: room, By: events.Name(by),
	}
	if len(j.Signals) > 0 {
		data.Axis = events.Name(j.Signals[0].Axis)
	}
	text, err := json.Marshal(struct {
		Reading   judge.Reading   `json:"reading"`
		Judgement judge.Judgement `json:"judgement"`
	}{r, j})
	if err != nil {
		return data, false, err
	}
	if data.Reading, err = d.blobs.Put(ctx, text); err != nil {
		return data, false, err
	}
	if _, err := d.hosts.append(ctx, data, events.ActorDaemon(d.host), ""); err != nil {
		return data, false, err
	}
	m.mu.Lock()
	m.told[p] = data
	m.mu.Unlock()
	return data, true, nil
}

// inPolicy says that a live run is judged by it.
func (d *Daemon) inPolicy(ctx context.Context, p judge.Policy, c config.Resources) bool {
	for _, s := range d.fleet.liveStates() {
		if flow, err := d.fleet.flow(ctx, *s); err == nil && c.PolicyOf(flow) == p {
			return true
		}
	}
	return false
}
