package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/run"
)

// This file words which agent works, where a workflow names more than one.

// agent names who works, or looks.
func agent(l events.Language, d events.IterationStarted) string {
	if d.Agent == "" {
		return say(l, "agent", "エージェント")
	}
	return say(l, "agent %s", "エージェント %s ", d.Agent)
}

// theAgent is the same in a sentence.
func theAgent(l events.Language, d events.IterationStarted) string {
	if d.Agent == "" {
		return say(l, "the agent", "エージェント")
	}
	return agent(l, d)
}

// named adds which agent looks.
func named(l events.Language, d events.IterationStarted) string {
	if d.Agent == "" {
		return ""
	}
	return say(l, ", with agent %s", "、エージェント %s", d.Agent)
}

// escalated says who goes on instead of whom, and why. s is a state that the
// event belongs to, before or after it.
func escalated(s run.State, crews []events.Crew, d events.AgentEscalated) string {
	_, why, _ := strings.Cut(halted(s, events.RunHalted{
		Reason: d.Reason, Phase: d.Phase, Iteration: d.Iteration, Gate: d.Gate, Iterations: d.Iterations, Value: d.Value, Limit: d.Limit,
	}), ": ")
	return say(s.Facts.Language, "agent %[1]s goes on as %[2]s, instead of %[3]s: %[4]s", "%[2]s を %[3]s からエージェント %[1]s に交代: %[4]s",
		run.Hand(crews, d.Role, d.To), d.Role, run.Hand(crews, d.Role, d.From), why)
}
