package ctl

import (
	"fmt"
	"strings"

	"autopilot/events"
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
		{wire.ExitConflict, "conflict: the workspace has a live run, or the run is in another state; peer check: blocked; probe launch: not suitable"},
		{wire.ExitUnreachable, "no daemon answers"},
		{wire.ExitTimedOut, "timed out"},
		{wire.ExitDenied, "denied: what an agent, a gate, a chat or a key of others may not do"},
		{wire.ExitRail, "halted by a rail: " + halts(events.HaltsByRail)},
		{wire.ExitLimit, "halted by a limit, a kill switch or on request: " + halts(events.HaltsByLimit)},
		{wire.ExitWaiting, "waiting for a limit or a back-off (only from wait), or halted instead of waiting: " + halts(events.HaltsAtWait)},
		{wire.ExitPerson, "needs a person: " + halts(events.HaltsForPerson) + " (apctl why), a question (apctl answer), trust (apctl trust), or a choice (apctl peer check)"},
		{wire.ExitCancelled, "cancelled"},
		{wire.ExitInterrupted, "interrupted: apctl left, the run goes on"},
	}
}

// halts lists the reasons of a class.
func halts(class events.HaltClass) string {
	var names []string
	for _, h := range events.Halts() {
		if h.Class == class {
			names = append(names, string(h.Reason))
		}
	}
	return strings.Join(names, ", ")
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
		line := fmt.Sprintf("  %3d ", l.code)
		for word := range strings.FieldsSeq(l.meaning) {
			if len(line)+1+len(word) > 80 {
				b.WriteString(line + "\n")
				line = "      "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
