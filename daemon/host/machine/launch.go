package machine

import (
	"cmp"
	"context"
	"slices"

	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe/judge"
	"autopilot/projections/orchestrator"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Launch says whether one more run may be launched on a machine, by how it stands
// and by how those before have ended.
type Launch struct {
	Machine  *Machine
	Runs     Ended
	Workflow func(ws tree.Workspace, name string) (workflow.Workflow, error) // one that is not trusted too
}

// Ended are all runs that a host has had, newest first.
type Ended interface {
	Heads() []snapshot.Head
	State(id string) (run.State, bool)
}

// Show answers whether a run may be launched without asking a person.
func (l Launch) Show(ctx context.Context, _ auth.Request, body wire.LaunchRequest) (wire.LaunchView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil {
		return wire.LaunchView{}, work.NoWorkspace(body.Workspace, err)
	}
	var flow workflow.Workflow
	if body.Workflow != "" {
		if flow, err = l.Workflow(ws, body.Workflow); err != nil {
			return wire.LaunchView{}, err
		}
	}
	trees, err := ws.Beside()
	if err != nil {
		return wire.LaunchView{}, err
	}
	v := wire.LaunchView{Gates: []wire.LaunchGate{}}
	ask := orchestrator.LaunchAsk{Confidence: body.Confidence, Floor: body.Floor, CI: body.CI}
	ask.History, v.Halts = l.history(trees)
	v.Policy, ask.Resources = l.Machine.stands(ctx, flow)
	gates, suitable := orchestrator.Launch(ask)
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

// history is how the runs of a repository ended, in all its work trees, and what
// has halted them. All of its runs count (S44).
func (l Launch) history(trees []string) (*orchestrator.LaunchHistory, []wire.LaunchHalt) {
	var own []string
	for _, t := range trees {
		own = append(own, tree.IDOf(t))
	}
	h, halts := &orchestrator.LaunchHistory{}, []wire.LaunchHalt{}
	for _, head := range l.Runs.Heads() { // newest first
		if !slices.Contains(own, head.Project) && (head.From == "" || !slices.Contains(own, head.From)) {
			continue
		}
		state, halt := l.endOf(head)
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
func (l Launch) endOf(h snapshot.Head) (state string, halt events.Halt) {
	switch h.Status {
	case run.Halted:
		return rule.StateHalted, events.Halt(h.Settled)
	case run.Over:
		if h.Settled != string(events.EndCancelled) {
			return h.Settled, ""
		}
		s, _ := l.Runs.State(h.ID)
		if s.Halt != nil {
			halt = s.Halt.Reason
		}
		return h.Settled, halt
	case run.Live, run.None:
	}
	return rule.StateRunning, ""
}

// Stands is how the machine stands for runs of a workflow, and how many sub-agents it
// bears, at most those of the project (0 is no bound); less than 0 is no bound. An empty
// verdict says that nobody looks at it.
func (m *Machine) Stands(ctx context.Context, flow workflow.Workflow, project int) (verdict string, most int) {
	_, verdict = m.stands(ctx, flow)
	if verdict == "" {
		return "", judge.Lower(judge.NoCap, project)
	}
	p := m.resources().PolicyOf(flow)
	j := judge.Judge(m.gauge.latest().reading, p, judge.Defaults()).As(judge.Verdict(verdict), p, judge.Defaults())
	return verdict, judge.Lower(j.Cap, project)
}

// stands is how the machine stands for runs of a workflow, and by which policy it
// is judged; empty where nobody looks at it.
func (m *Machine) stands(ctx context.Context, flow workflow.Workflow) (policy, verdict string) {
	c := m.resources()
	p := c.PolicyOf(flow)
	if c.Policy == config.NoResources {
		return string(config.NoResources), ""
	}
	v := m.gauge.fresh(ctx, m.cfg.Now())
	return string(p), cmp.Or(string(v.bands[p].Verdict), string(judge.Judge(v.reading, p, judge.Defaults()).Verdict))
}
