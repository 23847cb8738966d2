package archive

import "autopilot/projections/run"

// Over says that a run is over whose events fold to a state, and as what: what
// this version cannot fold is as the manifest says.
func (r Run) Over(s run.State) (run.State, bool) {
	s = r.settle(s)
	return s, s.Status == run.Over
}
