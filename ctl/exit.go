package ctl

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

type exitLine struct {
	code    int
	meaning string
}

// exits is the one table of exit codes; help prints it, a test pins it.
func exits() []exitLine {
	return []exitLine{
		{wire.ExitDone, "done, already green, or a graceful end; any other command: it worked"},
		{wire.ExitFailed, "failed: the run was refused, or the run or command could not be carried out; verify: a problem was found"},
		{wire.ExitUsage, "usage: what was typed cannot be used"},
		{wire.ExitNotFound, "not found: no such run, iteration or gate, or a position that is gone"},
		{wire.ExitConflict, "conflict: the workspace has a live run, or the run is in another state"},
		{wire.ExitUnreachable, "no daemon answers"},
		{wire.ExitTimedOut, "timed out"},
		{wire.ExitDenied, "denied: agents and gates may only read"},
		{wire.ExitRail, "halted by a rail: sameness, stuck, signature, drift, log-integrity, gate-unverifiable"},
		{wire.ExitLimit, "halted by a limit or on request: iterations, hours, noop, agent-lost, agent-failed, stopped"},
		{wire.ExitWaiting, "waiting for a limit or a back-off (only from wait)"},
		{wire.ExitPerson, "needs a person: see apctl why (a question, or the workspace is gone), apctl answer, or apctl trust"},
		{wire.ExitCancelled, "cancelled"},
		{wire.ExitInterrupted, "interrupted: apctl left, the run goes on"},
	}
}

// exitOf is the exit code for an answer of the daemon.
func exitOf(c wire.Code) int {
	switch c {
	case wire.OK:
		return wire.ExitDone
	case wire.Usage:
		return wire.ExitUsage
	case wire.NotFound, wire.CursorExpired:
		return wire.ExitNotFound
	case wire.Conflict:
		return wire.ExitConflict
	case wire.Unreachable:
		return wire.ExitUnreachable
	case wire.TimedOut:
		return wire.ExitTimedOut
	case wire.Denied:
		return wire.ExitDenied
	case wire.NeedsPerson:
		return wire.ExitPerson
	case wire.Failed, wire.Full, wire.Newer:
		return wire.ExitFailed
	}
	return wire.ExitFailed
}

// exitStatus ends a command that has said all it had to say.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// status is nil for 0.
func status(code int) error {
	if code == wire.ExitDone {
		return nil
	}
	return exitStatus(code)
}

func exitTable() string {
	var b strings.Builder
	for _, l := range exits() {
		fmt.Fprintf(&b, "  %3d  %s\n", l.code, l.meaning)
	}
	return b.String()
}
