package draft

import "autopilot/daemon/repo/commit"

// Set is what is shown.
type Set struct {
	Run, Gate string // what asks
	Number    int    // of the question
	Issue     string // that the run is about: OWNER/NAME#24
	Title     string
	Body      string // markdown
	commit.Work
}

// work is the set with the message of its commit.
func (s Set) work() commit.Work {
	w := s.Work
	if !s.Final {
		w.Message = "Files for approval at gate " + s.Gate + "\n\nRun " + s.Run + " of autopilot asks about them.\n"
	}
	return w
}
