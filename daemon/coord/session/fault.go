package session

import (
	"errors"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/run/engine"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// fault says why a chat was refused.
func (k *Drivers) fault(verb string, s run.State, err error) error {
	h := s.Facts.Handle
	switch {
	case errors.Is(err, engine.ErrNotDriven):
		return wire.Errorf(wire.Conflict, "run %s is driven by its own agent, not by a chat", h).
			WithHint(`apctl session join "WHAT SHALL BE DONE" --gate NAME=CMD   starts one that is`)
	case errors.Is(err, engine.ErrDriven) && s.Driver != nil:
		return k.othersRun(s)
	case errors.Is(err, engine.ErrStale):
		return wire.Errorf(wire.Conflict, "run %s has moved on, so the delivery was not taken", h).WithHint("apctl session next %s   gives the present work", h)
	case errors.Is(err, engine.ErrOver):
		return wire.Errorf(wire.Conflict, "run %s is over", h).WithHint("apctl why %s   shows how it ended", h)
	}
	return k.cfg.Verbs.Fault(verb, h, err)
}

// joinFault says why a chat does not come to drive a run: another drives it, or agents
// do the work of the run that is live here.
func (k *Drivers) joinFault(who chat.Chat, s run.State, err error) error {
	var known *wire.Error
	by := s.Driver
	switch {
	case s.Status != run.Live || !errors.Is(err, engine.ErrDriven) && (!errors.As(err, &known) || known.Code != wire.Conflict):
		return err
	case !s.Driven(), by != nil && !who.Is(by.SessionJoined) && !k.cfg.Chats.Gone(by.SessionJoined):
		return k.cfg.Verbs.Besides(s)
	}
	return err
}
