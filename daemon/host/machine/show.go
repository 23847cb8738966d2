package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe/judge"
)

// Show answers what the machine has, what it can bear, and who waits for it.
func (m *Machine) Show(ctx context.Context, _ auth.Request, body wire.ProbeRequest) (wire.ProbeView, error) {
	now := m.cfg.Now()
	saw := m.gauge.look(ctx, now)
	c, running := m.resources(), m.atWork()
	v := wire.ProbeView{Off: c.Policy == config.NoResources, Running: len(running), Projects: m.heavy(running), Waiting: []wire.ProbeWaiting{}}
	var err error
	if v.Reading, err = json.Marshal(saw.reading); err != nil {
		return v, fmt.Errorf("write a reading: %w", err)
	}
	if v.Wave, err = m.wave(ctx, saw, body, c, running); err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		_, slots, by := saw.judged(bound{p, c.Bytes()}, c, running)
		view := saw.bands[p].View(p, judge.Judge(saw.reading, p, judge.Defaults()), judge.Defaults())
		view.Slots, view.By = slots, string(by)
		v.Policies = append(v.Policies, view)
	}
	room := m.room(saw, c)
	for _, a := range m.line.Waiting(now) {
		s, ok := m.cfg.Runs.State(a.Run)
		if !ok {
			continue
		}
		w := wire.ProbeWaiting{Run: s.Facts.Handle, Since: a.Since.UTC()}
		if s.Facts.Priority != events.PriorityNormal {
			w.Priority = s.Facts.Priority.String()
		}
		if _, place, ok := m.line.At(a.Run, room, runsOf(m.at), now); ok {
			w.By = string(saw.held(a, place, c, m.at, room).By)
		}
		v.Waiting = append(v.Waiting, w)
	}
	return v, nil
}

// heavy are the projects with live runs that bound their agents.
func (m *Machine) heavy(at []agentAt) []wire.ProbeProject {
	var out []wire.ProbeProject
	index := map[string]int{}
	for _, s := range m.cfg.Runs.LiveStates() {
		bounds, err := m.cfg.Settings.Bounds(*s)
		if err != nil || bounds.Agents == 0 {
			continue
		}
		i, ok := index[projectOf(s)]
		if !ok {
			i = len(out)
			index[projectOf(s)] = i
			out = append(out, wire.ProbeProject{Workspace: m.gauge.Text(s.Facts.Workspace), Agents: bounds.Agents})
			for _, a := range at {
				if a.project == projectOf(s) {
					out[i].Running++
				}
			}
		}
		out[i].Agents = min(out[i].Agents, bounds.Agents)
		out[i].Runs = append(out[i].Runs, s.Facts.Handle)
	}
	for _, p := range out {
		slices.Sort(p.Runs)
	}
	slices.SortFunc(out, func(a, b wire.ProbeProject) int { return cmp.Compare(a.Workspace, b.Workspace) })
	return out
}

// wave says how many of the sub-agents that are planned for a wave may begin where
// somebody asks; nil if nobody does. The project's file needs no trust for that: it
// can only take less.
func (m *Machine) wave(ctx context.Context, v seen, body wire.ProbeRequest, c config.Resources, at []agentAt) (*wire.ProbeWave, error) {
	switch {
	case body.Wave == 0:
		return nil, nil
	case body.Wave < 0:
		return nil, wire.Errorf(wire.Usage, "a wave of %d means nothing", body.Wave).WithHint("give 1 or more")
	}
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return nil, work.NoWorkspace(body.Workspace, err)
	}
	l := m.cfg.Settings.Layers(ws)
	if err := l.Err(); err != nil { // a bound that cannot be read is none that is not there
		return nil, config.Unusable(err)
	}
	p, bounds := c.PolicyOf(workflow.Workflow{}), l.Bounds()
	j, _, _ := v.judged(bound{p, bounds.RAM}, c, at)
	w := judge.Plan(body.Wave, j, p, bounds.Agents)
	return &wire.ProbeWave{Planned: w.Planned, Agents: w.Agents, Decision: string(w.Decision), By: string(w.By), Policy: string(p)}, nil
}
