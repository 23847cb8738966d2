package engine

import (
	"autopilot/events"
	"autopilot/projections/run"
)

// rail halts the run, unless another agent can go on with the work that did not
// converge. Only rails that say so of the work itself come here: what cannot be
// proven, drift, accounts and limits of a run are no agent's to get around.
//
// Source: atdd-kit, seeds 3.5 (which outcomes count as a failure of the model)
// and lesson A27.
func rail(reason events.Halt) func(*view) Action {
	return func(q *view) Action {
		h := q.halted(reason)
		by, ok := q.escalates(reason)
		if !ok {
			return Halt{h}
		}
		return Escalate{events.AgentEscalated{
			Role: by.Role, From: by.Level, To: by.Level + 1, Reason: reason, Phase: h.Phase, Iteration: h.Iteration,
			Gate: h.Gate, Iterations: h.Iterations, Value: h.Value, Limit: h.Limit, Tree: h.Tree,
		}}
	}
}

// escalates finds the agent that did not get on, if there is a next one: who
// works in the phase. A plan that stays the same is its author's. Work that was
// sent back too often, or in a phase in which nobody works, is of those who had
// it since the phase that it goes back to, the first of them who has a next one.
func (q *view) escalates(reason events.Halt) (run.Worker, bool) {
	phases := []string{string(q.Loop.Phase)}
	switch ph := q.phase(); {
	case reason == events.HaltPlan:
		phases = []string{ph.Unclean}
	case ph.Unclean != "" && (reason == events.HaltCycles || !ph.Works()):
		phases = q.flow.Between(ph.Unclean, ph.Name)
	}
	for _, name := range phases {
		if w := q.WorkerIn(events.Name(name)); q.Higher(w) {
			return w, true
		}
	}
	return run.Worker{}, false
}
