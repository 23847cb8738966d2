package rule

import (
	"autopilot/events"
	"autopilot/events/wire"
)

// Fault says that a halt is one of a rail, of a limit or kill switch, or of the
// daemon itself: the run could not do without a person. A person's own stop is
// none, nor is what a run was told not to wait for or what only needs a person, as
// a login. A number of sessions that is used up is an end and no halt.
//
// Source: session-orchestrator, Q7: otherwise than there max-sessions-reached and
// user-abort have not fired.
func Fault(h events.Halt) bool {
	switch haltCode(h) {
	case wire.ExitRail, wire.ExitLimit, wire.ExitFailed:
		return h != events.HaltStopped && h != events.HaltUserAbort
	}
	return false
}

// LaunchOutcome says whether a run counts in the history of launches, and whether
// a fault has stopped it. halt is its latest that it was not brought on from, also
// of one that was cancelled after it: to give a run up undoes no halt. One that was
// refused, or found nothing to do, has not worked.
func LaunchOutcome(state string, halt events.Halt) (counts, fired bool) {
	switch state {
	case StateRunning, StateWaiting, string(events.EndRefused), string(events.EndAlreadyGreen), "":
		return false, false
	case string(events.EndFailed):
		return true, true
	case StateHalted, string(events.EndCancelled):
		return true, halt != "" && Fault(halt)
	}
	return true, false
}
