package api

import (
	"context"
	"errors"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/wire"
)

// Fault gives errors of the rooms below the code that a client can act on.
func Fault(err error) error {
	var known *wire.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	for _, m := range []struct {
		err  error
		code wire.Code
		hint string
	}{
		{engine.ErrOver, wire.Conflict, "start a new run"},
		{engine.ErrNotHalted, wire.Conflict, "apctl status   shows its state"},
		{engine.ErrNotWaiting, wire.Conflict, "apctl status   shows its state"},
		{engine.ErrDrift, wire.NeedsPerson, "apctl diff   shows the changes"},
		{engine.ErrUnproven, wire.NeedsPerson, "apctl why   shows the cause; apctl resume -m 'NOTE' sends the agent back to work"},
		{engine.ErrBrokenLog, wire.Denied, "apctl verify   shows the damage; cancel this run and start a new one"},
		{engine.ErrNeedsNote, wire.Usage, "apctl resume -m 'WHAT TO DO DIFFERENTLY'"},
		{engine.ErrPastUntil, wire.Conflict, "start a new run"},
		{events.ErrMoved, wire.Failed, "the event store did not answer, as on a full disk; look with apctl status before you try again"},
		{events.ErrNoRoom, wire.Full, "free space on the disk of the state directory, and try again; apctl doctor shows the free space"},
		// The daemon is ending: the client can ask the next one.
		{engine.ErrGone, wire.Unreachable, "try again; the next daemon serves the run"},
		{context.Canceled, wire.Unreachable, "try again; the next daemon serves the run"},
		{tree.ErrGone, wire.NotFound, ""},
		{tree.ErrNotFound, wire.NotFound, ""},
	} {
		if errors.Is(err, m.err) {
			return wire.Errorf(m.code, "%v", err).WithHint("%s", m.hint)
		}
	}
	return err
}
