package engine

import (
	"slices"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// History is the failures of the present phase as the rails of a workflow compare
// them: by notes only where a fingerprint knows the tree without them.
func History(s run.State, flow workflow.Workflow) rule.History {
	if slices.Contains(flow.Fingerprint, workflow.PartTree) {
		return s.Loop.History
	}
	return s.Loop.History.Unnoted()
}

// Warned is of what the next prompt warns: a return with new notes, which is let off
// once, or a failure that has been the same for so long that a rail is near. The zero
// value is no warning. A new agent that goes on for another is told that instead.
func Warned(s run.State, flow workflow.Workflow) events.Warning {
	if who := s.Worker(); who.Role != "" && s.Loop.Raised == who.Role {
		return events.Warning{}
	}
	h := History(s, flow)
	if m, ok := h.Return(flow.Rails.Stuck.Window); ok {
		w := events.Warning{Rail: events.HaltStuck, Times: len(m.Iterations), First: m.Iterations[0], Halts: len(m.Iterations) + 1}
		if h.Successive(m) {
			w.Rail = events.HaltSameness
		}
		return w
	}
	n := flow.Rails.Signature.Count
	w := events.Warning{Rail: events.HaltSignature}
	if flow.Rails.Signature.Then == workflow.HaltRun {
		w.Halts, n = n, rule.WarnAt(n)
	}
	if n == 0 {
		return events.Warning{}
	}
	for times := max(n, w.Halts); times >= n; times-- {
		if m, ok := h.SameSignature(times); ok {
			w.Times, w.First = times, m.Iterations[0]
			return w
		}
	}
	return events.Warning{}
}
