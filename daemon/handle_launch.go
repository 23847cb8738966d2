package daemon

import (
	"cmp"
	"context"
	"slices"

	"autopilot/daemon/bus"
	"autopilot/daemon/config"
	"autopilot/daemon/snapshot"
	"autopilot/daemon/tree"
	"autopilot/daemon/work"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe/judge"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// probeLaunch answers whether a run may be launched without asking a person.
func (d *Daemon) probeLaunch(ctx context.Context, _ bus.Request, body wire.LaunchRequest) (wire.LaunchView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil {
		return wire.LaunchView{}, work.NoWorkspace(body.Workspace, err)
	}
	var flow workflow.Workflow
	if body.Workflow != "" {
		found, _, err := d.workflow(ws, body.Workflow)
		if err != nil {
			return wire.LaunchView{}, err
		}
		flow = found.Flow
	}
	trees, err := ws.Beside()
	if err != nil {
		return wire.LaunchView{}, err
	}
	v := wire.LaunchView{Gates: []wire.LaunchGate{}}
	ask := rule.LaunchAsk{Confidence: body.Confidence, Floor: body.Floor, CI: body.CI}
	ask.History, v.Halts = d.launches(trees)
	v.Policy, ask.Resources = d.stands(ctx, flow)
	gates, suitable := rule.Launch(ask)
	for _, g := range gates {
		v.Gates = append(v.Gates, wire.LaunchGate{
			Gate: g.Name, Pass: g.Pass, Omitted: g.Omitted, Value: g.Value, Limit: g.Limit, Reason: string(g.Reason), Warning: string(g.Warning),
		})
	}
	if v.Suitable = suitable; !suitable {
		v.ExitCode = wire.ExitConflict
	}
	return v, nil
}

// launches is how the runs of a repository ended, in all its work trees, and what
// has halted them. All of its runs count (S44).
func (d *Daemon) launches(trees []string) (*rule.LaunchHistory, []wire.LaunchHalt) {
	var own []string
	for _, t := range trees {
		own = append(own, tree.IDOf(t))
	}
	h, halts := &rule.LaunchHistory{}, []wire.LaunchHalt{}
	for _, head := range d.fleet.Heads() { // newest first
		if !slices.Contains(own, head.Project) && (head.From == "" || !slices.Contains(own, head.From)) {
			continue
		}
		state, halt := d.endOf(head)
		counts, fired := rule.LaunchOutcome(state, halt)
		if counts {
			h.Runs++
		}
		if !fired {
			continue
		}
		h.Fired++
		why := cmp.Or(string(halt), state)
		i := slices.IndexFunc(halts, func(e wire.LaunchHalt) bool { return e.Reason == why })
		if i < 0 {
			i = len(halts)
			halts = append(halts, wire.LaunchHalt{Reason: why, Latest: head.Handle})
		}
		halts[i].Runs++
	}
	slices.SortStableFunc(halts, func(a, b wire.LaunchHalt) int { return cmp.Compare(b.Runs, a.Runs) })
	return h, halts
}

// endOf is how a run stands or has ended, and the halt that it was not brought on
// from.
func (d *Daemon) endOf(h snapshot.Head) (state string, halt events.Halt) {
	switch h.Status {
	case run.Halted:
		return rule.StateHalted, events.Halt(h.Settled)
	case run.Over:
		if h.Settled != string(events.EndCancelled) {
			return h.Settled, ""
		}
		s, _ := d.fleet.State(h.ID)
		if s.Halt != nil {
			halt = s.Halt.Reason
		}
		return h.Settled, halt
	case run.Live, run.None:
	}
	return rule.StateRunning, ""
}

// stands is how the machine stands for runs of a workflow, and by which policy it
// is judged; empty where nobody looks at it.
func (d *Daemon) stands(ctx context.Context, flow workflow.Workflow) (policy, verdict string) {
	c := d.resources()
	p := c.PolicyOf(flow)
	if c.Policy == config.NoResources {
		return string(config.NoResources), ""
	}
	now := d.machine.now()
	r := d.fresh(ctx, now)
	d.machine.mu.Lock()
	defer d.machine.mu.Unlock()
	return string(p), cmp.Or(string(d.machine.bands[p].Verdict), string(judge.Judge(r, p, judge.Defaults()).Verdict))
}
