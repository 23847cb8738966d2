package machine

import (
	"context"
	"errors"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/host/sched"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// Run looks at the machine while a run is live, stores what has changed of its
// verdict, and lets those in line go as there is room, until the context ends.
func (m *Machine) Run(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if m.cfg.Runs.Live() > 0 {
				m.gauge.look(ctx, m.cfg.Now())
				m.tellVerdict(ctx)
				m.LineUp(ctx, m.cfg.Runs.LiveStates())
			}
			m.quitLine(m.cfg.Now())
		case <-m.kick:
		}
		m.fillLine(ctx, m.cfg.Now())
	}
}

// doWithin is how long a run may take to answer: one that does not must not keep
// the others from a slot.
const doWithin = 10 * time.Second

// fillLine lets go who may begin. Who does not wait any more gives its place back.
// A daemon that is about to end lets nobody go.
func (m *Machine) fillLine(ctx context.Context, now time.Time) {
	if m.cfg.Draining() || m.nobodyWaits() {
		return
	}
	m.gauge.fresh(ctx, now)
	for _, id := range m.letGo(m.resources(), now) {
		if err := m.do(ctx, id, engine.Lift{}); err != nil {
			m.Drop(id)
			if !errors.Is(err, engine.ErrOver) && !errors.Is(err, engine.ErrNotWaiting) {
				m.cfg.Log.Error("let a run go on", "run", id, "error", err)
			}
		}
	}
}

func (m *Machine) do(ctx context.Context, id string, c engine.Command) error {
	ctx, cancel := context.WithTimeout(ctx, doWithin)
	defer cancel()
	_, err := m.cfg.Runs.Do(ctx, id, c, m.cfg.Record.Actor, "")
	return err
}

// atWork are the agents that are at work.
func (m *Machine) atWork() []agentAt { return crowd(m.cfg.Runs.LiveStates(), "") }

// letGo grants what can be, and names who got it.
func (m *Machine) letGo(c config.Resources, now time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	m.here(m.atWork())
	// Who asks again just now would store that it waits after it was let go.
	stored := func(a sched.Ask) bool {
		s, ok := m.cfg.Runs.State(a.Run)
		return ok && inLine(&s) && s.Waiting.UntilMS == a.Until.UnixMilli()
	}
	return m.line.Fill(m.room(m.gauge.latest(), c), runsOf(m.at), now, stored)
}

// LineUp puts back in line who waits for the machine by its own record and stands
// in none, whatever has become of its place: the daemon may be another one. That
// has all that it has found line up before any of them asks: the first to ask is
// not the one that is next.
func (m *Machine) LineUp(ctx context.Context, found []*run.State) {
	c := m.resources()
	m.mu.Lock()
	if m.at == nil { // nobody has looked yet: agents that outlived a daemon hold their slots
		m.here(crowd(found, ""))
	}
	m.mu.Unlock()
	for _, s := range found {
		if !inLine(s) || m.knows(s.ID) {
			continue
		}
		a, err := m.wish(ctx, *s, c)
		if err != nil {
			m.cfg.Log.Error("put a run back in line", "run", s.ID, "error", err)
			continue
		}
		m.mu.Lock()
		m.line.Put(a)
		m.mu.Unlock()
	}
}

// quitLine takes those out of the line that do not wait for the machine any more.
func (m *Machine) quitLine(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.line.Waiting(now) {
		asked := now.Sub(a.Until.Add(-lineWait))
		if asked >= 0 && asked < sampleFresh {
			continue // it may be about to store that it waits
		}
		if s, ok := m.cfg.Runs.State(a.Run); !ok || !inLine(&s) {
			m.line.Drop(a.Run)
		}
	}
}

func (m *Machine) nobodyWaits() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	return m.line.Len() == 0
}

func (m *Machine) knows(run string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.line.Knows(run)
}

// inLine says that a run waits for the machine, by its own record.
func inLine(s *run.State) bool {
	return s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources && s.Stop == ""
}
