package config

import (
	"cmp"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/probe/judge"
)

// Resources say how many agents the machine may bear.
type Resources struct {
	Policy      events.Name `yaml:"policy"`        // signals, tiers or off; empty is the workflow's
	Agents      int         `yaml:"agents"`        // at work at once, over all runs; 0 is no bound
	RAMPerAgent string      `yaml:"ram_per_agent"` // that one more is expected to need, as 2GiB
	Project     Heavy       `yaml:"project"`
}

// Heavy says how much of a machine the runs of one project take together.
type Heavy struct {
	Agents int `yaml:"agents"` // at work at once; 0 is no bound
}

// Bounds are those of the agents of a run.
type Bounds struct {
	RAM    int64 // that one more is expected to need, in bytes
	Agents int   // at work at once in runs of its project; 0 is no bound
}

// Bounds are what both files say: the lower number of agents counts, and the larger
// one of memory, so that neither makes room that the other does not leave (S16).
func (l Layers) Bounds() (b Bounds) {
	var user, project Resources
	if l.User != nil {
		user = l.User.Resources
	}
	if l.Project != nil {
		project = l.Project.Resources
	}
	b.RAM, b.Agents = user.Bytes(), user.Project.Agents
	if project.RAMPerAgent != "" {
		b.RAM = max(b.RAM, project.Bytes())
	}
	if n := project.Project.Agents; n > 0 && (b.Agents == 0 || n < b.Agents) {
		b.Agents = n
	}
	return b
}

// NoResources lets agents begin whatever the machine has left, within the numbers
// that people set.
const NoResources events.Name = "off"

// DefaultRAM is what an agent is expected to need with what it starts.
const DefaultRAM = "1GiB"

// Bytes is the memory that one more agent is expected to need.
func (r Resources) Bytes() int64 {
	n, _ := ParseBytes(cmp.Or(r.RAMPerAgent, DefaultRAM)) // it was checked
	return n
}

// PolicyOf is by what the machine is judged for a workflow.
func (r Resources) PolicyOf(w workflow.Workflow) judge.Policy {
	return cmp.Or(judge.Policy(r.Policy), w.Resources.Policy, judge.Signals)
}

func (f *faults) resources(r Resources) {
	if r.Policy != "" {
		f.word("resources.policy", string(r.Policy), string(judge.Signals), string(judge.Tiers), string(NoResources))
	}
	for at, n := range map[string]int{"resources.agents": r.Agents, "resources.project.agents": r.Project.Agents} {
		if f.file.sets(at) && (n < 1 || n > mostAgents) {
			f.add(at, "write a number from 1 to 1000, or leave it out", "%d is out of range", n)
		}
	}
	if n, err := ParseBytes(cmp.Or(r.RAMPerAgent, DefaultRAM)); err != nil || n <= 0 {
		f.add("resources.ram_per_agent", "write it as 512MiB or 2GiB", "%q is not a size", r.RAMPerAgent)
	}
}

const mostAgents = 1000
