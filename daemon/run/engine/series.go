package engine

import (
	"time"

	"autopilot/projections/orchestrator"
)

// This file holds the rules between two iterations of a run whose iterations are whole
// sessions.
//
// Source: session-orchestrator, seeds 2.1.3 and 2.1.4.

// SelectMode has a mode selected for the next session, on a look at the machine.
type SelectMode struct{ Session int }

func (SelectMode) action() {}

func (q *view) inSeries() bool { return q.Facts.Series.Sessions > 0 }

// between says that no session is at work, and that the next one would be a new one.
func (q *view) between() bool {
	return q.inSeries() && q.ready() && !q.Loop.Redo
}

// budget is what the next session would begin with. A clock that goes back makes no time
// negative.
func (q *view) budget() orchestrator.Before {
	l := q.Facts.Series
	return orchestrator.Before{
		Abort: q.stopping(), Sessions: float64(q.Series.Done), MaxSessions: float64(l.Sessions),
		Hours: q.Clock.Active(q.now).Hours(), MaxHours: (time.Duration(l.HoursMS) * time.Millisecond).Hours(),
		Tokens: float64(q.Series.Tokens - q.Series.Counted), MaxTokens: float64(l.Tokens),
	}
}

// budgetEnds says that a switch fires before the next session, without a look at the
// machine.
func budgetEnds(s orchestrator.Switch) func(*view) bool {
	return func(q *view) bool { return q.between() && orchestrator.CheckBudgets(q.budget()).Switch == s }
}

// selects: the next session has no mode yet.
func (q *view) selects() bool { return q.between() && q.Series.Selected == nil }

func (q *view) selectMode() Action { return SelectMode{Session: q.Series.Done + 1} }

// overloaded: the machine is critical, and too many other sessions are there.
func (q *view) overloaded() bool {
	m := q.Series.Selected
	if !q.between() || m == nil || m.Peers < 0 {
		return false
	}
	b := q.budget()
	b.Verdict, b.Peers, b.PeerLimit = string(m.Verdict), float64(m.Peers), float64(q.Facts.Series.Peers)
	return orchestrator.CheckBefore(b).Switch == orchestrator.Overload
}

// admission is what becomes of the selected mode. What a person was asked about and let
// go runs, if it has a name.
func (q *view) admission() orchestrator.Admission {
	m := q.Series.Selected
	if !q.between() || m == nil || q.Series.Person && m.Mode != "" {
		return orchestrator.Admission{Run: true}
	}
	failed := ""
	if m.Failed {
		failed = "failed"
	}
	return orchestrator.Admit(string(m.Mode), m.Confidence.Float(), q.Facts.Series.Confidence.Float(), q.Series.Done, failed)
}

func (q *view) unsure() bool { return q.admission().Kill.Fired() }
func (q *view) manual() bool { return q.admission().Manual }
