package ctl

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// The exit codes of apctl.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 4
	exitConflict    = 5
	exitUnreachable = 6
	exitTimedOut    = 7
	exitDenied      = 8
	exitRail        = 10
	exitLimit       = 11
	exitWaiting     = 12
	exitPerson      = 13
	exitCancelled   = 14
	exitInterrupted = 130
)

type exitLine struct {
	code    int
	meaning string
}

// exits is the one table of exit codes; help prints it, a test pins it.
func exits() []exitLine {
	return []exitLine{
		{exitDone, "done, already green, or a graceful end; any other command: it worked"},
		{exitFailed, "failed: the run was refused, or the run or command could not be carried out; verify: a problem was found"},
		{exitUsage, "usage: what was typed cannot be used"},
		{exitNotFound, "not found: no such run, iteration or gate, or a position that is gone"},
		{exitConflict, "conflict: the workspace has a live run, or the run is in another state"},
		{exitUnreachable, "no daemon answers"},
		{exitTimedOut, "timed out"},
		{exitDenied, "denied: agents and gates may only read"},
		{exitRail, "halted by a rail: sameness, stuck, signature, drift, log-integrity, gate-unverifiable"},
		{exitLimit, "halted by a limit or on request: iterations, hours, noop, agent-lost, agent-failed, stopped"},
		{exitWaiting, "waiting for a limit or a back-off (only from wait)"},
		{exitPerson, "needs a person: see apctl why (a question, or the workspace is gone)"},
		{exitCancelled, "cancelled"},
		{exitInterrupted, "interrupted: apctl left, the run goes on"},
	}
}

// exitOf is the exit code for an answer of the daemon.
func exitOf(c wire.Code) int {
	switch c {
	case wire.OK:
		return exitDone
	case wire.Usage:
		return exitUsage
	case wire.NotFound, wire.CursorExpired:
		return exitNotFound
	case wire.Conflict:
		return exitConflict
	case wire.Unreachable:
		return exitUnreachable
	case wire.TimedOut:
		return exitTimedOut
	case wire.Denied:
		return exitDenied
	case wire.Failed, wire.Full, wire.Newer:
		return exitFailed
	}
	return exitFailed
}

// exitStatus ends a command that has said all it had to say.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// status is nil for 0.
func status(code int) error {
	if code == exitDone {
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
