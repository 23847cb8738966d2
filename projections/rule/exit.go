package rule

import (
	"autopilot/events"
	"autopilot/events/wire"
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
		return wire.ExitDone
	case StateWaiting:
		return wire.ExitWaiting
	case StateHalted:
		return haltCode(halt)
	case string(events.EndCancelled):
		return wire.ExitCancelled
	}
	return wire.ExitFailed
}

func haltCode(halt events.Halt) int {
	switch halt.Facts().Class {
	case events.HaltsForPerson:
		return wire.ExitPerson
	case events.HaltsAtWait:
		return wire.ExitWaiting
	case events.HaltsByDaemon:
		return wire.ExitFailed
	case events.HaltsByLimit:
		return wire.ExitLimit
	case events.HaltsByRail:
	}
	return wire.ExitRail
}
