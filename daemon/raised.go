package daemon

import (
	"cmp"
	"slices"

	"autopilot/events"
	"autopilot/projections/run"
)

// mostRaised is how many runs of a project are looked at for one about an issue.
const mostRaised = 200

// raise has the roles of a run begin with the agents that the latest run about the same
// issue had come to, where it knows them: who did not get on with an issue does not
// begin with it again.
//
// Source: atdd-kit, seeds 3.4: one way per issue.
func (d *Daemon) raise(started *events.RunStarted) {
	several := func(c events.Crew) bool { return len(c.Hands) > 1 }
	if started.Issue == 0 || !slices.ContainsFunc(started.Crews, several) {
		return
	}
	last, ok := d.lastAbout(cmp.Or(started.From, started.Project), started.Issue, started.Workflow)
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

// lastAbout is the latest run of a project about an issue.
func (d *Daemon) lastAbout(project string, issue int, flow events.Name) (run.State, bool) {
	looked := 0
	for _, h := range d.fleet.heads() {
		if !belongs(h, project) {
			continue
		}
		if looked++; looked > mostRaised {
			break
		}
		if s, err := d.fleet.read(h); err == nil && s.Facts.Issue == issue && s.Facts.Workflow == flow {
			return s, true
		}
	}
	return run.State{}, false
}
