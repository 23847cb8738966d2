package work

import (
	"cmp"
	"context"
	"time"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

// session judges the session of the present iteration by what it told of itself,
// and by what the daemon saw of it.
func (g *judgement) session(ctx context.Context, a asked) (events.GateResult, error) {
	bad, err := g.w.text(g.s.Last.Agent.BadReport)
	if err != nil {
		return events.GateResult{}, err
	}
	r, texts := gate.Session{Name: a.Name, Limits: rule.SessionLimits{
		Stall: cmp.Or(a.decl.Stall, rule.StallDefault), Carryover: cmp.Or(a.decl.Carryover, rule.CarryoverDefault),
	}}.Judge(sessionEnd(g.s.Last.Agent), bad)
	return g.store(ctx, r, texts)
}

func sessionEnd(a events.AgentEnded) rule.SessionEnd {
	return rule.SessionEnd{Report: a.Report, Failed: failedSession(a), Silent: time.Duration(a.SilentMS) * time.Millisecond}
}

// failedSession says that a session came to no good end by its own fault: that
// its provider let it do no more, that it waits for a person, or that it was told
// to stop, is no failure.
func failedSession(a events.AgentEnded) bool {
	switch a.Result {
	case events.ResultNeedsHuman, events.ResultNeedsPermission, events.ResultStopped, events.ResultInterrupted:
		return false
	default:
		return !a.Result.OfAccount() && !cameToItsEnd(a)
	}
}
