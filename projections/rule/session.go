package rule

import (
	"time"

	"autopilot/events"
	"autopilot/projections/orchestrator"
)

// SessionEnd is what is known of a session that has ended.
type SessionEnd struct {
	Report events.SessionReport // its own record; V is 0 without one
	Failed bool                 // it came to no end of its own, or to a failure
	Silent time.Duration        // before its end, as its supervisor saw it
	Owes   bool                 // without a record it has failed, as nobody can say what it did
}

// SessionLimits are what a session is compared with.
type SessionLimits struct {
	Stall     time.Duration
	Carryover int // percent of what was planned
}

// The published limits of a session.
//
// Source: session-orchestrator, seeds 2.1.1 and 2.1.5.
const (
	StallDefault     = orchestrator.StallDefault
	CarryoverDefault = 100 * orchestrator.CarryoverDefault
)

// SessionVerdict is a kill switch that fires, or what else closes the gate, with
// the numbers that were compared.
type SessionVerdict struct {
	Reason          events.Reason
	Used, Of, Limit int64
}

// Session judges a session that has ended: the first kill switch that fires, in
// their order, then a report that is missing. All comparisons are those of the
// source: a stall at its limit fires, a carryover at its limit does not.
//
// Source: session-orchestrator, seeds 2.1.3 rows 9 and 11, 2.1.4 rows 7 to 10, and
// S5: what is absent kills nothing. Otherwise than there, it does not pass either.
func Session(s SessionEnd, l SessionLimits) SessionVerdict {
	r := s.Report
	if s.Owes && (s.Failed || r.V == 0) {
		return SessionVerdict{Reason: events.ReasonFailedWave}
	}
	k := orchestrator.CheckAfter(orchestrator.Outcome{
		Stall:  orchestrator.Stall{Silent: s.Silent, Progressed: s.Silent < orchestrator.StallFresh},
		Spiral: float64(r.Spiral), Failed: float64(r.Failed), Planned: float64(r.Planned), Carryover: float64(r.Carryover),
	}, orchestrator.After{Stall: l.Stall, Carryover: float64(l.Carryover) / 100})
	switch k.Switch {
	case orchestrator.StallTimeout:
		return SessionVerdict{Reason: events.ReasonStall, Used: int64(s.Silent / time.Second), Limit: int64(l.Stall / time.Second)}
	case orchestrator.Spiral:
		return SessionVerdict{Reason: events.ReasonSpiral, Used: int64(r.Spiral)}
	case orchestrator.FailedWave:
		return SessionVerdict{Reason: events.ReasonFailedWave, Used: int64(r.Failed)}
	case orchestrator.CarryoverHigh:
		return SessionVerdict{Reason: events.ReasonCarryover, Used: int64(r.Carryover), Of: int64(r.Planned), Limit: int64(l.Carryover)}
	default: // the others look at no session
	}
	switch {
	case r.V == 0 && s.Failed:
		return SessionVerdict{Reason: events.ReasonFailedWave}
	case r.V == 0:
		return SessionVerdict{Reason: events.ReasonNoReport}
	}
	return SessionVerdict{Reason: events.ReasonReported}
}

// switches are the halts of the kill switches, in their order.
var switches = []struct {
	reason events.Reason
	halt   events.Halt
}{
	{events.ReasonStall, events.HaltStall},
	{events.ReasonSpiral, events.HaltSpiral},
	{events.ReasonFailedWave, events.HaltFailedWave},
	{events.ReasonCarryover, events.HaltCarryover},
}

// Killed finds the result at which a kill switch fired.
func Killed(results []events.GateResult) (events.Halt, events.GateResult, bool) {
	for _, s := range switches {
		for _, r := range results {
			if r.Kind == events.GateSession && r.Verdict == events.Fail && r.Reason == s.reason {
				return s.halt, r, true
			}
		}
	}
	return "", events.GateResult{}, false
}
