package api

import (
	"cmp"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// mostRaised bounds the runs of a project that lastAbout searches.
const mostRaised = 200

// Raise starts the roles of a run with the agents that the latest run about the same
// issue had reached, if they are known. An agent that failed on an issue does not begin
// with it again.
//
// Source: atdd-kit, seeds 3.4: one way per issue.
func (a *Runs) Raise(started *events.RunStarted) {
	several := func(c events.Crew) bool { return len(c.Hands) > 1 }
	if started.Issue == 0 || !slices.ContainsFunc(started.Crews, several) {
		return
	}
	last, ok := a.lastAbout(*started)
	if !ok {
		return
	}
	for i, c := range started.Crews {
		name := last.Raised(c.Role)
		if n := slices.IndexFunc(c.Hands, func(h events.Hand) bool { return name != "" && h.Agent == name }); n > 0 {
			started.Crews[i].Level = n + 1
		}
	}
}

// lastAbout finds the latest run of a project about the same issue.
func (a *Runs) lastAbout(started events.RunStarted) (run.State, bool) {
	project, tracker := cmp.Or(started.From, started.Project), a.tracker(started)
	looked := 0
	for _, h := range a.Fleet.Heads() {
		if !h.Belongs(project) {
			continue
		}
		if looked++; looked > mostRaised {
			break
		}
		s, err := a.Fleet.Read(h)
		if err != nil || s.Facts.Issue != started.Issue || s.Facts.Workflow != started.Workflow {
			continue
		}
		if other := a.tracker(s.Facts); other == "" || tracker == "" || strings.EqualFold(other, tracker) {
			return s, true
		}
	}
	return run.State{}, false
}

// tracker is the repository of a run's issue; empty where the run names a number alone.
func (a *Runs) tracker(started events.RunStarted) string {
	spec, err := a.Worker.Spec(run.State{Facts: started})
	if err != nil {
		return ""
	}
	issue, _ := wire.ParseIssue(spec.Issue) // the start has checked it
	return issue.Repository
}
