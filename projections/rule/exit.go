package rule

import "autopilot/events"

// The exit codes of apctl.
const (
	ExitDone        = 0 // done, or a graceful end
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 4
	ExitConflict    = 5
	ExitUnreachable = 6 // no daemon
	ExitTimeout     = 7
	ExitDenied      = 8
	ExitRail        = 10 // halted by a rail
	ExitLimit       = 11 // halted by a limit or a kill switch
	ExitWaiting     = 12
	ExitPerson      = 13 // needs a person
	ExitCancelled   = 14
	ExitInterrupted = 130
)

// The states of a run that are no ends; the others are those of events.End.
const (
	StateRunning = "running"
	StateWaiting = "waiting"
	StateHalted  = "halted"
)

// ExitCode is the exit code for a run in that state, halted for that reason.
// A live run is no failure: who merely asks after it gets 0. A refused run did
// not do what it was asked for, and cannot be resumed: it failed. An unknown
// state failed, and an unknown reason is a rail, as both must not pass for done.
func ExitCode(state string, halt events.Halt) int {
	switch state {
	case StateRunning, string(events.EndDone), string(events.EndGraceful), string(events.EndAlreadyGreen):
		return ExitDone
	case StateWaiting:
		return ExitWaiting
	case StateHalted:
		return haltCode(halt)
	case string(events.EndCancelled):
		return ExitCancelled
	}
	return ExitFailed
}

func haltCode(halt events.Halt) int {
	switch halt {
	case events.HaltNeedsPerson, events.HaltWorkspaceGone:
		return ExitPerson
	case events.HaltInternal:
		return ExitFailed
	case events.HaltIterations, events.HaltHours, events.HaltNoop, events.HaltAgentLost,
		events.HaltAgentFailed, events.HaltStopped:
		return ExitLimit
	case events.HaltDrift, events.HaltLogIntegrity, events.HaltSameness, events.HaltStuck,
		events.HaltSignature, events.HaltUnverifiable:
		return ExitRail
	}
	return ExitRail
}
