package work

import (
	"cmp"
	"context"
	"time"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

// session judges the session of the present iteration by its own report, and by what the
// daemon saw of it.
func (g *judgement) session(ctx context.Context, a asked) (events.GateResult, error) {
	bad, err := g.w.text(g.s.Last.Agent.BadReport)
	if err != nil {
		return events.GateResult{}, err
	}
	r, texts := gate.Session{Name: a.Name, Limits: rule.SessionLimits{
		Stall: cmp.Or(a.decl.Stall, rule.StallDefault), Carryover: cmp.Or(a.decl.Carryover, rule.CarryoverDefault),
	}}.Judge(sessionEnd(g.s.Last.Agent, g.p.Flow.Series.On()), bad)
	return g.store(ctx, r, texts)
}

func sessionEnd(a events.AgentEnded, owes bool) rule.SessionEnd {
	return rule.SessionEnd{Owes: owes, Report: a.Report, Failed: failedSession(a), Silent: time.Duration(a.SilentMS) * time.Millisecond}
}

// failedSession says that a session failed by its own fault. A provider limit, a wait for
// a person, or a stop request is no failure.
func failedSession(a events.AgentEnded) bool {
	switch a.Result {
	case events.ResultNeedsHuman, events.ResultNeedsPermission, events.ResultStopped, events.ResultInterrupted:
		return false
	default:
		return !a.Result.OfAccount() && !cameToItsEnd(a)
	}
}
