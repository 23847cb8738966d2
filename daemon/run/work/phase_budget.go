package work

import (
	"slices"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
)

// budgets lists the iterations of each phase with an agent. It is empty for a single
// phase without its own number.
func (p *Plan) budgets(l events.Limits) (out []events.Budget) {
	own := func(ph workflow.Phase) bool { return ph.Limits.Iterations > 0 }
	if len(p.Flow.Phases) == 1 && !slices.ContainsFunc(p.Flow.Phases, own) {
		return nil
	}
	for _, ph := range p.Flow.Phases {
		if ph.Works() || own(ph) {
			out = append(out, events.Budget{Phase: events.Name(ph.Name), Iterations: p.phaseIterations(ph, l)})
		}
	}
	return out
}

// phaseIterations is the phase's own number, unless the run's is lower; else the run's.
func (p *Plan) phaseIterations(ph workflow.Phase, l events.Limits) int {
	switch n := ph.Limits.Iterations; {
	case n == 0:
		return l.Iterations
	case p.Spec.MaxIterations > 0:
		return min(n, p.Spec.MaxIterations)
	default:
		return n
	}
}

// BudgetViews shows budgets to people.
func BudgetViews(list []events.Budget) (out []wire.BudgetView) {
	for _, b := range list {
		out = append(out, wire.BudgetView{Phase: string(b.Phase), Iterations: b.Iterations})
	}
	return out
}
