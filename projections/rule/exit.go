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
	switch halt {
	case events.HaltNeedsPerson, events.HaltRebooted, events.HaltWorkspaceGone, events.HaltAuthFailed, events.HaltBilling,
		events.HaltEntry, events.HaltExpired, events.HaltUnproven:
		return wire.ExitPerson
	case events.HaltLimit:
		return wire.ExitWaiting
	case events.HaltInternal:
		return wire.ExitFailed
	case events.HaltIterations, events.HaltHours, events.HaltNoop, events.HaltAgentLost, events.HaltAgentHung,
		events.HaltAgentFailed, events.HaltStopped, events.HaltTokens, events.HaltCost, events.HaltTurns, events.HaltCycles,
		events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		return wire.ExitLimit
	case events.HaltDrift, events.HaltLogIntegrity, events.HaltSameness, events.HaltStuck,
		events.HaltSignature, events.HaltUnverifiable, events.HaltPlan, events.HaltForeign, events.HaltClaimLost, events.HaltGit:
		return wire.ExitRail
	}
	return wire.ExitRail
}
