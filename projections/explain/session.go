package explain

import (
	"fmt"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Chat names the chat that drives a run.
func Chat(program events.Name) string {
	if program == "" {
		return "a chat"
	}
	return "a chat of " + string(program)
}

// driven says what a run waits for that a chat works on.
func driven(s run.State) string {
	of := fmt.Sprintf("iteration %d of %d", s.Loop.Iteration, s.LastIteration())
	if s.Driver == nil {
		return "waiting: nobody drives it; a chat that joins works on " + of
	}
	return fmt.Sprintf("waiting: %s, process %d, works on %s", Chat(s.Driver.Program), s.Driver.PID, of)
}

// joins are the commands for a run that a chat works on.
func joins(s run.State) []wire.NextCommand {
	h := s.Facts.Handle
	return commands("apctl session join "+h, "drive it from a chat", "apctl watch "+h, "follow it", "apctl stop "+h, "stop it")
}
