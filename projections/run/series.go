package run

import "autopilot/events"

// Series is what has become of the sessions of a run whose iterations are sessions.
type Series struct {
	Selected *events.ModeSelected // for the next session, until it begins
	Ran      *events.ModeSelected // of the latest session
	Began    events.Name          // verdict on the machine before the first
	Done     int                  // sessions that ended with a record
	Tokens   int64                // that they used
	Counted  int64                // of them, before the present budget
	Records  []events.Ref         // what they call themselves, oldest first
	Lost     bool                 // the latest one ended without a record
	Stalls   int                  // that ended the run
	Person   bool                 // a person has let the selected mode run, whatever its confidence
}

// keepRecords bounds the names of sessions that a state keeps.
const keepRecords = 1000

// modeSelected takes what was found before a session.
func modeSelected(s State, d events.ModeSelected) State {
	s.Series.Selected = &d
	if s.Series.Began == "" {
		s.Series.Began = d.Verdict
	}
	return s
}

// sessionBegins has the selected mode run. A lost attempt keeps the one that it had.
func (s State) sessionBegins() State {
	if s.Series.Selected != nil {
		s.Series.Ran, s.Series.Selected, s.Series.Person = s.Series.Selected, nil, false
	}
	return s
}

// sessionEnds counts a session with its record. One without is not counted, whatever it
// has changed.
//
// Source: session-orchestrator, seeds 2.1.3 rows 9 and 10.
func (s State) sessionEnds() State {
	r := s.Last.Agent.Report
	if s.Series.Lost = r.V == 0; s.Series.Lost {
		return s
	}
	s.Series.Done++
	s.Series.Tokens += tokensOf(s.Last.Agent)
	if r.ID != "" {
		s.Series.Records = last(append(s.Series.Records[:len(s.Series.Records):len(s.Series.Records)], r.ID), keepRecords)
	}
	return s
}

// tokensOf are those that the record counts, else those of the agent's output.
//
// Source: session-orchestrator, seeds 2.1.3 token accounting; Q3.
func tokensOf(d events.AgentEnded) int64 {
	if d.Report.Tokens > 0 {
		return d.Report.Tokens
	}
	return d.Usage.Output
}

// sessionsResumed lets the mode run that a person was asked about, and else has one
// selected anew.
func (s State) sessionsResumed(after events.Halt) State {
	if after == events.HaltManual && s.Series.Selected != nil {
		s.Series.Person = true
		return s
	}
	s.Series.Selected, s.Series.Person = nil, false
	return s
}
