package api

import (
	"errors"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file is about gates that who starts a run hands over, and about what a person
// finds in them later.
//
// Source: atdd-kit, seeds 3.1, 3.6 AL-1 and 6.2 A48.

// handsOver is the person who hands over the approvals of a run with its start; empty
// with why nobody does. Only a person at a terminal can: who could not answer a gate
// cannot hand one over either.
func (a *Runs) handsOver(q auth.Request, body wire.StartRequest) (actor, why string, err error) {
	if !body.Handoff {
		return "", "", nil
	}
	proof, actor, err := a.Consent.Prove(q)
	if err == nil {
		err = a.Consent.ToHandOver(proof.Assurance, body)
	}
	var e *wire.Error
	if errors.As(err, &e) && e.Code == wire.NeedsPerson {
		return "", e.Message, nil
	}
	return actor, "", err
}

// begins notes who has handed over the approvals of a run, where it has any to hand
// over; else why nobody has is no matter.
func begins(started *events.RunStarted, person, why string) string {
	if len(handed(started.Gates)) == 0 {
		return ""
	}
	started.Handoff = person
	return why
}

// handed are the gates that a run may have handed over.
func handed(gates []events.Gate) []string {
	var out []string
	for _, g := range gates {
		if g.Handoff {
			out = append(out, string(g.Name))
		}
	}
	return out
}

// questioned is a live run as if it asked what was accepted by hand-off, where that is
// what an answer is about: by its gate or number, or as nothing else is asked.
func questioned(s run.State, gate string, number int) run.State {
	asks := s.Stage == run.Asking && s.Question != nil && (gate == "" || s.Question.Gate == events.Name(gate))
	q, ok := s.HandedOver(events.Name(gate), number)
	if !ok || s.Status != run.Live || asks && (number == 0 || number == s.Question.Number) {
		return s
	}
	s.Stage, s.Question = run.Asking, &q
	return s
}

// asksAt is asks for the question of a gate; empty for any.
func (a *Questions) asksAt(s run.State, gate string, number int) error {
	if err := a.Asks(s, number); err != nil {
		return err
	}
	if q := s.Question; gate != "" && q.Gate != events.Name(gate) {
		return wire.Errorf(wire.Conflict, "run %s: gate %.64q asks nobody anything now, and nothing of it was accepted by hand-off", s.Facts.Handle, gate).
			WithHint("apctl status %s   shows its gates", s.Facts.Handle)
	}
	return nil
}

// handedBefore says what a person can still do about a set that was accepted by
// hand-off, when the run is not live.
func (a *Questions) handedBefore(s run.State, gate events.Name) error {
	h := s.Facts.Handle
	if s.Status == run.Halted {
		return wire.Errorf(wire.Conflict, "run %s is halted, so what gate %s accepted by hand-off is not rejected by an answer", h, gate).
			WithHint("apctl resume %s --findings FILE   goes on with what you found; see apctl help findings", h)
	}
	return wire.Errorf(wire.Conflict, "run %s is over, so what gate %s accepted by hand-off is not rejected by an answer", h, gate).
		WithHint("apctl run ... --findings FILE   begins a run with what you found; see apctl help findings\napctl diff %s   shows what it changed", h)
}
