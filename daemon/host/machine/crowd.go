package machine

import (
	"cmp"
	"time"

	"autopilot/events"
	"autopilot/projections/run"
)

// grownAfter is when an agent has taken the memory that it needs: before, what is
// available does not show it.
const grownAfter = 30 * time.Second

// agentAt is a run whose agent is at work, of which project, and since when.
type agentAt struct {
	run, project string
	since        time.Time
	lost         bool // it is to begin again: what it had taken is free
}

// projectOf is the work tree that a run belongs to, also if it has one of its own.
func projectOf(s *run.State) string { return cmp.Or(s.Facts.From, s.Facts.Project) }

// crowd are the agents that are at work, but those of one run. A chat that drives a
// run is none of the daemon's; who looks at what it did is.
func crowd(live []*run.State, except string) []agentAt {
	var out []agentAt
	for _, s := range live {
		lost := s.Stage == run.Ended && s.Last.Agent.Outcome == events.Lost // it begins again at once, and asks nobody
		if (s.Stage == run.Looking || (s.Stage == run.Agent || lost) && !s.Driven()) && s.ID != except {
			out = append(out, agentAt{s.ID, projectOf(s), s.Clock.Agent, lost})
		}
	}
	return out
}

func runsOf(list []agentAt) []string {
	out := make([]string, 0, len(list))
	for _, a := range list {
		out = append(out, a.run)
	}
	return out
}

// grown counts the agents whose need a reading of that time shows.
func grown(list []agentAt, by time.Time) (n int) {
	for _, a := range list {
		if !a.lost && by.Sub(a.since) >= grownAfter {
			n++
		}
	}
	return n
}
