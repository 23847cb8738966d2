package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/config"
	"autopilot/daemon/engine"
	"autopilot/daemon/sched"
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
			if d.fleet.Live() > 0 {
				d.look(ctx, d.machine.now())
				d.tellVerdict(ctx)
				d.rejoin(ctx)
			}
			d.quitLine(d.machine.now())
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

// doWithin is how long a run may take to answer: one that does not must not keep
// the others from a slot.
const doWithin = 10 * time.Second

// fillLine lets go who may begin. Who does not wait any more gives its place back.
// A daemon that is about to end lets nobody go.
func (d *Daemon) fillLine(ctx context.Context, now time.Time) {
	if d.draining.Load() || d.machine.nobodyWaits() {
		return
	}
	d.fresh(ctx, now)
	for _, id := range d.letGo(d.resources(), now) {
		if err := d.doSoon(ctx, id, engine.Lift{}); err != nil {
			d.machine.drop(id)
			if !errors.Is(err, engine.ErrOver) && !errors.Is(err, engine.ErrNotWaiting) {
				d.cfg.Log.Error("let a run go on", "run", id, "error", err)
			}
		}
	}
}

func (d *Daemon) doSoon(ctx context.Context, id string, c engine.Command) error {
	ctx, cancel := context.WithTimeout(ctx, doWithin)
	defer cancel()
	_, err := d.fleet.Do(ctx, id, c, events.ActorDaemon(d.host), "")
	return err
}

// letGo grants what can be, and names who got it.
func (d *Daemon) letGo(c config.Resources, now time.Time) []string {
	m := d.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	m.here(d.atWorkNow())
	// Who asks again just now would store that it waits after it was let go.
	stored := func(a sched.Ask) bool {
		s, ok := d.fleet.State(a.Run)
		return ok && inLine(&s) && s.Waiting.UntilMS == a.Until.UnixMilli()
	}
	return m.line.Fill(m.room(c, m.at), runsOf(m.at), now, stored)
}

// rejoin puts back in line who waits for the machine by its own record and stands
// in none, whatever has become of its place: the daemon may be another one.
func (d *Daemon) rejoin(ctx context.Context) { d.lineUp(ctx, d.fleet.LiveStates()) }

// lineUp is rejoin of the runs that a daemon has found, before any of them asks: the
// first to ask is not the one that is next.
func (d *Daemon) lineUp(ctx context.Context, found []*run.State) {
	c, m := d.resources(), d.machine
	for _, s := range found {
		if !inLine(s) || m.knows(s.ID) {
			continue
		}
		a, err := d.wish(ctx, *s, c)
		if err != nil {
			d.cfg.Log.Error("put a run back in line", "run", s.ID, "error", err)
			continue
		}
		m.mu.Lock()
		m.line.Put(a)
		m.mu.Unlock()
	}
}

// quitLine takes those out of the line that do not wait for the machine any more.
func (d *Daemon) quitLine(now time.Time) {
	m := d.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.line.Waiting(now) {
		asked := now.Sub(a.Until.Add(-lineWait))
		if asked >= 0 && asked < sampleFresh {
			continue // it may be about to store that it waits
		}
		if s, ok := d.fleet.State(a.Run); !ok || !inLine(&s) {
			m.line.Drop(a.Run)
		}
	}
}

func (m *machine) nobodyWaits() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	return m.line.Len() == 0
}

func (m *machine) knows(run string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.line.Knows(run)
}

// inLine says that a run waits for the machine, by its own record.
func inLine(s *run.State) bool {
	return s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources && s.Stop == ""
}

// tellVerdict stores a verdict that has changed: with the host, and with every run
// that waits for the machine.
func (d *Daemon) tellVerdict(ctx context.Context) {
	c := d.resources()
	if c.Policy == config.NoResources {
		return
	}
	at := d.atWorkNow()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		data, changed, err := d.verdict(ctx, p, c, at)
		if err != nil || !changed {
			if err != nil {
				d.cfg.Log.Error("store what the machine bears", "error", err)
			}
			continue
		}
		d.beside.Go(func() { d.tellWaiting(ctx, p, data, c) })
	}
}

// tellWaiting tells the runs that wait for the machine of its verdict, until there
// is another. Each is told by an event, and there may be a thousand: nobody's turn
// waits for that.
func (d *Daemon) tellWaiting(ctx context.Context, p judge.Policy, data events.ResourcesJudged, c config.Resources) {
	m := d.machine
	m.telling.Lock()
	defer m.telling.Unlock()
	for _, s := range d.fleet.LiveStates() {
		if ctx.Err() != nil || m.toldOf(p) != data {
			return
		}
		if flow, err := d.fleet.Flow(ctx, *s); err != nil || !inLine(s) || c.PolicyOf(flow) != p {
			continue
		}
		err := d.doSoon(ctx, s.ID, engine.Judged{ResourcesJudged: data})
		if err != nil && !errors.Is(err, engine.ErrOver) && !errors.Is(err, engine.ErrNotWaiting) {
			d.cfg.Log.Error("tell a run what the machine bears", "run", s.ID, "error", err)
		}
	}
}

// toldOf is the latest verdict of a policy that is stored.
func (m *machine) toldOf(p judge.Policy) events.ResourcesJudged {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told[p]
}

// verdict stores the verdict of a policy with the host, if it has changed. That of
// a policy by which no run is judged is not looked at: Tiers only where some run
// asks for it.
func (d *Daemon) verdict(ctx context.Context, p judge.Policy, c config.Resources, at []agentAt) (events.ResourcesJudged, bool, error) {
	m := d.machine
	m.mu.Lock()
	was, known := m.told[p]
	j, room, by := m.judged(bound{p, c.Bytes()}, c, at)
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
	if data.Signal = worst(j); data.Signal.Of != "" {
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
	if _, err := d.hosts.Append(ctx, data, events.ActorDaemon(d.host), ""); err != nil {
		return data, false, err
	}
	m.mu.Lock()
	m.told[p] = data
	m.mu.Unlock()
	return data, true, nil
}

// inPolicy says that a live run is judged by it.
func (d *Daemon) inPolicy(ctx context.Context, p judge.Policy, c config.Resources) bool {
	for _, s := range d.fleet.LiveStates() {
		if flow, err := d.fleet.Flow(ctx, *s); err == nil && c.PolicyOf(flow) == p {
			return true
		}
	}
	return false
}

// inLineNow is a run with how its wait for the machine stands: what is stored is
// how it was when it asked, and the line moves.
func (d *Daemon) inLineNow(s run.State) run.State {
	m := d.machine
	if m == nil || !inLine(&s) {
		return s
	}
	c := d.resources()
	m.mu.Lock()
	defer m.mu.Unlock()
	room := m.room(c, m.at)
	a, place, ok := m.line.At(s.ID, room, runsOf(m.at), m.now())
	if !ok {
		return s
	}
	w := *s.Waiting
	until := w.UntilMS
	w.LimitWaiting = m.held(a, place, c, room)
	w.UntilMS = until
	s.Waiting = &w
	return s
}
