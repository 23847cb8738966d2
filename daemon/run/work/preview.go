package work

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/agent"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/order"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Preview shows what a run would be.
func (w *Worker) Preview(ctx context.Context, q order.Order, agents agent.Overrides, hide []string) (_ wire.Preview, err error) {
	// Not the workspace's place: the gates of a live run may be at work in it.
	place := tryPrefix + "preview-" + w.newID()
	defer func() { err = errors.Join(err, w.dropTried(place)) }()
	p, err := w.makePlan(ctx, q, agents, hide, place)
	if err != nil {
		return wire.Preview{}, err
	}
	snap, err := p.Repo.Record(ctx, "preview", p.Ignore, tree.Without{Notes: p.Flow.Notes})
	if err != nil {
		return wire.Preview{}, fmt.Errorf("record the workspace: %w", err)
	}
	if err := p.pin(ctx, snap.Tree); err != nil {
		return wire.Preview{}, err
	}
	const effect = "EFFECT"
	l := limits(q, p.Flow)
	d := firstPrompt(p, events.Name(p.Flow.Phases[0].Name))
	d.MaxIterations, d.ResultFile = p.phaseIterations(p.Flow.Phases[0], l), w.resultFile(effect)
	if d.Session = p.Spec.Driver == events.DriverSession; d.Session {
		d.ResultFile = ""
	}
	if q.Findings != "" {
		list, bad := seeded(redact.Compile(p.Secrets), q.Findings)
		if bad != nil {
			return wire.Preview{}, bad
		}
		d.PersonNotes = []string{listFindings(list)}
	}
	if p.Flow.Series.On() {
		d.Mode = "MODE"
	}
	text, err := p.renderPhase(d.Phase, d)
	if err != nil {
		return wire.Preview{}, err
	}
	v := wire.Preview{
		Prompt: string(text), Argv: []string{}, Permissions: p.Own.call.Says, AgentEnv: p.envNames(p.Own),
		GateEnv: envNames(p.Gates.Env), Path: p.Gates.Path(), Gates: order.Shown(p.Spec.Gates), Pinned: len(p.Pinned),
		Workspace: p.Repo.Workspace().Path, Iterations: l.Iterations, Workflow: p.Flow.Name, Budgets: BudgetViews(p.budgets(l)), Timeouts: wire.Timeouts(timeouts(p.Flow)),
		Setup: p.Spec.Setup, Checkout: p.Spec.Checkout, Pins: p.pinGroups(), TaskPins: p.Named, Hidden: p.Hidden, Lacks: p.lacks(),
		Holdout: p.Held.view(),
	}
	if p.Spec.Driver == events.DriverDaemon && given(p.Spec.Agent) {
		v.Argv = w.command(p.Own, events.IterationStarted{Effect: effect}).Process()
	}
	v.Crews = w.crewViews(p, effect)
	if v.Series, err = w.previewSeries(ctx, q, p); err != nil {
		return v, err
	}
	if end, ok := engine.Deadline(run.State{Facts: events.RunStarted{Limits: l}}, w.cfg.Now()); ok {
		v.EndsBy = &end
	}
	return v, nil
}

func isCommand(g stored.Gate) bool { return g.Kind == "" || g.Kind == events.GateCommand }

func command(g stored.Gate) rule.Command { return rule.Command{Text: g.Command} }

func commands(spec stored.Spec) []rule.Command {
	var out []rule.Command
	for _, g := range toRun(spec) {
		out = append(out, command(g))
	}
	return out
}
