package explain

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/run"
)

// This file words which agent works, where a workflow names more than one.

// agent names who works, or looks.
func agent(l events.IterationStarted) string {
	if l.Agent == "" {
		return "agent"
	}
	return "agent " + string(l.Agent)
}

// theAgent is the same in a sentence.
func theAgent(l events.IterationStarted) string {
	if l.Agent == "" {
		return "the agent"
	}
	return agent(l)
}

// named adds which agent looks.
func named(l events.IterationStarted) string {
	if l.Agent == "" {
		return ""
	}
	return ", with " + agent(l)
}

// escalated says who goes on instead of whom, and why. s is a state that the
// event belongs to, before or after it.
func escalated(s run.State, crews []events.Crew, d events.AgentEscalated) string {
	_, why, _ := strings.Cut(halted(s, events.RunHalted{
		Reason: d.Reason, Phase: d.Phase, Iteration: d.Iteration, Gate: d.Gate, Iterations: d.Iterations, Value: d.Value, Limit: d.Limit,
	}), ": ")
	return fmt.Sprintf("agent %s goes on as %s, instead of %s: %s",
		run.Hand(crews, d.Role, d.To), d.Role, run.Hand(crews, d.Role, d.From), why)
}
