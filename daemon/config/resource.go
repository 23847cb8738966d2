package config

import (
	"cmp"

	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/probe/judge"
)

// Resources say how many agents the machine may bear.
type Resources struct {
	Policy      events.Name `yaml:"policy"`        // signals, tiers or off; empty is the workflow's
	Agents      int         `yaml:"agents"`        // at work at once, over all runs; 0 is no bound
	RAMPerAgent string      `yaml:"ram_per_agent"` // that one more is expected to need, as 2GiB
}

// NoResources lets every agent begin, whatever the machine has left.
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
	if r.Agents < 0 || r.Agents > mostAgents {
		f.add("resources.agents", "write a number from 1 to 1000, or leave it out", "%d is out of range", r.Agents)
	}
	if n, err := ParseBytes(cmp.Or(r.RAMPerAgent, DefaultRAM)); err != nil || n <= 0 {
		f.add("resources.ram_per_agent", "write it as 512MiB or 2GiB", "%q is no size", r.RAMPerAgent)
	}
}

const mostAgents = 1000
