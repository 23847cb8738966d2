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

// killed words the halt of a kill switch that looks at a session, with the
// numbers that were compared.
func killed(h events.RunHalted) string {
	switch h.Reason {
	case events.HaltStall:
		return fmt.Sprintf("halted: nothing moved for %s before the session of iteration %d ended, and %s is a stall",
			short(h.Used*1000), h.Iteration, short(h.Limit*1000))
	case events.HaltSpiral:
		return fmt.Sprintf("halted: the session of iteration %d tells of %d in a spiral, and one is enough", h.Iteration, h.Used)
	case events.HaltCarryover:
		return fmt.Sprintf("halted: the session of iteration %d left %d of %s, more than %d %%",
			h.Iteration, h.Used, count(int(h.Of), "planned issue"), h.Limit)
	default:
		if h.Used == 0 {
			return fmt.Sprintf("halted: the session of iteration %d failed, and did not tell how it went", h.Iteration)
		}
		return fmt.Sprintf("halted: the session of iteration %d tells of %d failed, and one is enough", h.Iteration, h.Used)
	}
}

// afterKill is the recovery that belongs to a kill switch.
//
// Source: session-orchestrator, seeds 2.1.4.
func afterKill(h string, reason events.Halt) []wire.NextCommand {
	diff, logs := "apctl diff "+h, "apctl logs "+h
	resume := func(what string) string { return fmt.Sprintf("apctl resume %s -m '%s'", h, what) }
	switch reason {
	case events.HaltStall:
		return commands(logs, "what it printed last, before nothing moved", "apctl resume "+h, "go on")
	case events.HaltSpiral:
		return commands(diff, "look at it yourself: it goes round in circles", resume("WHAT TO REVERT, AND A SMALLER STEP"), "go on")
	case events.HaltCarryover:
		return commands(diff, "what it has done", resume("WHAT TO LEAVE OUT"), "go on with less to do")
	default:
		return commands(logs, "find the cause", diff, "what it has done", resume("THE CAUSE, AND WHAT TO DO"), "go on")
	}
}
