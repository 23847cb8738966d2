package archive

import "autopilot/projections/run"

// RunOf is what a bundle says of a run that is over.
func RunOf(s run.State) Run {
	r := Run{ID: s.ID, Handle: s.Facts.Handle}
	if s.End != nil {
		r.State, r.Reason = string(s.End.State), string(s.End.Reason)
	}
	return r
}

// Over says that a run is over whose events fold to a state, and as what: what
// this version cannot fold is as the manifest says.
func (r Run) Over(s run.State) (run.State, bool) {
	s = r.settle(s)
	return s, s.Status == run.Over
}
