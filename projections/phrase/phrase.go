// Package phrase holds the words that the daemon and apctl both have for the
// same fact, so that it reads the same in a log, a status and an explanation.
//
// It is pure and links nothing but the vocabulary, as apctl pays for all that
// it links at every start.
package phrase

import (
	"fmt"

	"autopilot/events"
)

// Reason says why a gate gave its verdict; of a result only the reason, the
// verdict, the exit code and the numbers that were compared count.
func Reason(r events.GateResult) string {
	switch r.Reason {
	case events.ReasonExit:
		return exit(r.Exit)
	case events.ReasonSignal:
		return "killed by a signal from outside"
	case events.ReasonTimeout:
		return "out of time"
	case events.ReasonSilent:
		return "no sign of life for too long"
	case events.ReasonNotFound:
		return "command not found"
	case events.ReasonNoShell:
		return "no shell"
	case events.ReasonNoDirectory:
		return "its directory is missing"
	case events.ReasonToolChanged:
		return "a tool that it needs was replaced or is gone"
	case events.ReasonTreeChanged:
		return "files changed while it ran"
	case events.ReasonUnchanged:
		return "pinned files unchanged"
	case events.ReasonPinChanged:
		return "pinned files changed"
	case events.ReasonWritten:
		return "every file is written"
	case events.ReasonMissing:
		return "a file is missing"
	case events.ReasonBlank:
		return "a file is blank"
	case events.ReasonStale:
		return "a file is as it was before the work"
	case events.ReasonSetup:
		if r.Verdict == events.Skipped {
			return "not run, as the set-up failed"
		}
		if r.Exit < 0 {
			return "set-up of a clean checkout did not finish"
		}
		return "set-up of a clean checkout: " + exit(r.Exit)
	case events.ReasonNobody:
		return "nobody has looked or answered yet"
	case events.ReasonLooked:
		return "as a session of another role says"
	case events.ReasonVoid:
		return "no session gave a result that counts"
	case events.ReasonAnswered:
		return "as a person answered"
	case events.ReasonDocsOnly:
		return "only documentation was changed"
	case events.ReasonInside:
		return "only declared files were changed"
	case events.ReasonOutside:
		return "other files were changed"
	case events.ReasonNoCommit:
		return "there is no commit of the test alone"
	case events.ReasonAncestry:
		return "the commit of the test is not before that of the work"
	case events.ReasonNotRed:
		return "the test passes without the work"
	case events.ReasonSeenRed:
		return "the test failed before the work"
	case events.ReasonControl:
		return "the test fails as much with the work"
	case events.ReasonRow:
		return "the commit that was named is not the one that was found"
	case events.ReasonReported:
		return "the session told how it went"
	case events.ReasonNoReport:
		return "the session did not tell how it went"
	case events.ReasonBadReport:
		return "what the session told of itself cannot be read"
	case events.ReasonStall:
		return fmt.Sprintf("nothing moved for %d s, and %d s is a stall", r.Used, r.Limit)
	case events.ReasonSpiral:
		return fmt.Sprintf("%d in a spiral", r.Used)
	case events.ReasonFailedWave:
		if r.Used == 0 {
			return "the session failed"
		}
		return fmt.Sprintf("%d failed", r.Used)
	case events.ReasonCarryover:
		return fmt.Sprintf("%d of %d planned issues are left, more than %d %%", r.Used, r.Of, r.Limit)
	case events.ReasonUncertain:
		return "it passed, and it failed"
	}
	return string(r.Reason)
}

// exit says what the shell means by the codes that are its own.
func exit(code int) string {
	switch code {
	case 126:
		return "exit 126: something in it cannot be executed"
	case 127:
		return "exit 127: something in it was not found"
	}
	return fmt.Sprintf("exit %d", code)
}
