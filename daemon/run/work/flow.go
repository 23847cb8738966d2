package work

import (
	"context"
	"slices"

	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/order"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// findFlow finds the requested workflow and its templates, and stores them, so that an
// edit changes nothing for a started run.
func (w *Worker) findFlow(ctx context.Context, p *Plan, q order.Order) error {
	found, err := w.cfg.FindFlow(ctx, q)
	if err != nil {
		return err
	}
	p.Flow, p.Source, p.Prompts = found.Flow, found.Source, map[string]string{}
	for _, f := range found.Prompts {
		p.Prompts[f.File] = string(f.Source)
	}
	return p.checkFlow()
}

// checkFlow refuses a workflow with gates that cannot be judged here.
func (p *Plan) checkFlow() error {
	for _, ph := range p.Flow.Phases {
		for _, g := range slices.Concat(ph.Entry, ph.Gates) {
			if g.Checkout != "" {
				return wire.Errorf(wire.Usage, "workflow %s: gate %s: this gate cannot choose its own checkout", p.Flow.Name, g.Name).
					WithHint("apctl run --clean")
			}
		}
	}
	return nil
}

// commands lists the commands of the workflow's own gates.
func (p *Plan) commands() []rule.Command {
	var out []rule.Command
	for _, a := range p.ownCommands() {
		out = append(out, command(a.Gate))
	}
	return out
}

func (p *Plan) ownCommands() []asked {
	var out []asked
	for _, ph := range p.Flow.Phases {
		for _, a := range slices.Concat(declared(ph.Entry), p.gatesOfPhase(ph)) {
			if a.starts() && a.Role == events.RoleCheck {
				out = append(out, a)
			}
		}
	}
	return out
}

// checkOwn finds the programs of the workflow's own gates.
func (p *Plan) checkOwn() error {
	for _, a := range p.ownCommands() {
		if _, texts, bad := p.Gates.Unverifiable(gate.Command{Name: a.Name, Run: command(a.Gate)}); bad {
			return wire.Errorf(wire.Usage, "workflow %s, gate %s: %s", p.Flow.Name, a.Name, texts.Excerpt)
		}
	}
	return nil
}
