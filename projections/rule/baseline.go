package rule

import "autopilot/events"

// BaselineDecision is what the gates, run before the first iteration, mean for
// the run. It is refused, ended as already green, or goes on.
type BaselineDecision struct {
	Refused      events.Refusal // empty unless the run is refused
	Gate         events.Name    // the gate that settled a refusal
	AlreadyGreen bool           // until-green, and nothing is red

	Goals       []events.Name // red, as they must be
	Invariants  []events.Name // goals that are green: from now on they must stay so
	NeedsChange bool          // start-green: done also needs a changed tree
}

// Baseline decides on the results of the gates at the start.
//
// A gate that cannot be run refuses, then gates that change the files which they
// judge, then a clean checkout that cannot be set up, then a red invariant, then
// a goal that fails before it tests anything. A goal that is green becomes an invariant. If no goal is red, the zero start mode refuses, as a
// gate that passes already cannot prove the task; StartGreen goes on and
// UntilGreen ends at once. Skipped results say nothing.
func Baseline(results []events.GateResult, start events.Start) BaselineDecision {
	var d BaselineDecision
	if gate, ok := firstResult(results, func(r events.GateResult) bool { return r.Verdict == events.Unverifiable }); ok {
		return BaselineDecision{Refused: events.RefusedUnverifiable, Gate: gate}
	}
	if gate, ok := firstResult(results, func(r events.GateResult) bool { return r.Reason == events.ReasonTreeChanged }); ok {
		return BaselineDecision{Refused: events.RefusedUnstable, Gate: gate}
	}
	if gate, ok := firstResult(results, func(r events.GateResult) bool {
		return r.Verdict == events.Fail && r.Reason == events.ReasonSetup
	}); ok {
		return BaselineDecision{Refused: events.RefusedSetup, Gate: gate}
	}
	if gate, ok := firstResult(results, func(r events.GateResult) bool {
		return r.Role == events.RoleInvariant && r.Verdict == events.Fail
	}); ok {
		return BaselineDecision{Refused: events.RefusedInvariantRed, Gate: gate}
	}
	if gate, ok := firstResult(results, func(r events.GateResult) bool {
		return r.Role == events.RoleGoal && r.Reason == events.ReasonUnready
	}); ok {
		return BaselineDecision{Refused: events.RefusedUnready, Gate: gate}
	}
	for _, r := range results {
		switch {
		case r.Role != events.RoleGoal:
		case r.Verdict == events.Fail:
			d.Goals = append(d.Goals, r.Gate)
		case r.Verdict == events.Pass:
			d.Invariants = append(d.Invariants, r.Gate)
		}
	}
	if len(d.Goals) > 0 {
		return d
	}
	// Without a single verdict nothing is green either: that proves nothing in
	// any mode.
	switch {
	case start == events.UntilGreen && len(d.Invariants) > 0:
		d.AlreadyGreen = true
	case start == events.StartGreen && len(d.Invariants) > 0:
		d.NeedsChange = true
	default:
		d.Refused = events.RefusedGoalGreen
		if len(d.Invariants) > 0 {
			d.Gate = d.Invariants[0]
		}
	}
	return d
}

func firstResult(results []events.GateResult, is func(events.GateResult) bool) (events.Name, bool) {
	for _, r := range results {
		if is(r) {
			return r.Gate, true
		}
	}
	return "", false
}
