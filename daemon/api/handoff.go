package api

import (
	"errors"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file is about hand-off: the user who starts a run accepts its approval gates in
// advance. A person can still reject the accepted sets later.
//
// Source: atdd-kit, seeds 3.1, 3.6 AL-1 and 6.2 A48.

// handsOver names the person who hands over the approvals of a run at its start; without
// such a person, why gives the reason. Only a person at a terminal can hand over: a caller who
// may not answer a gate may not waive it.
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

// begins records the person who handed over the approvals of a run that has any. In other
// runs the reason against a hand-off does not matter.
func begins(started *events.RunStarted, person, why string) string {
	if len(handed(started.Gates)) == 0 {
		return ""
	}
	started.Handoff = person
	return why
}

// handed lists the gates of a run that allow a hand-off.
func handed(gates []events.Gate) []string {
	var out []string
	for _, g := range gates {
		if g.Handoff {
			out = append(out, string(g.Name))
		}
	}
	return out
}

// questioned returns a live run as if it asked about a set that it accepted by hand-off.
// It does so where an answer names that gate or number, or where no other question waits.
func questioned(s run.State, gate string, number int) run.State {
	asks := s.Stage == run.Asking && s.Question != nil && (gate == "" || s.Question.Gate == events.Name(gate))
	q, ok := s.HandedOver(events.Name(gate), number)
	if !ok || s.Status != run.Live || asks && (number == 0 || number == s.Question.Number) {
		return s
	}
	s.Stage, s.Question = run.Asking, &q
	return s
}

// asksAt is Asks for the question of a gate; an empty gate is any.
func (a *Questions) asksAt(s run.State, gate string, number int) error {
	if err := a.Asks(s, number); err != nil {
		return err
	}
	if q := s.Question; gate != "" && q.Gate != events.Name(gate) {
		return wire.Errorf(wire.Conflict, "run %s: gate %.64q has no open question, and nothing that was accepted by hand-off", s.Facts.Handle, gate).
			WithHint("apctl status %s   shows its gates", s.Facts.Handle)
	}
	return nil
}

// handedBefore says what a person can still do about a set accepted by hand-off when the
// run is not live.
func (a *Questions) handedBefore(s run.State, gate events.Name) error {
	h := s.Facts.Handle
	if s.Status == run.Halted {
		return wire.Errorf(wire.Conflict, "run %s is halted, so no answer can reject the hand-off at gate %s", h, gate).
			WithHint("apctl resume %s --findings FILE   goes on with your findings; see apctl help findings", h)
	}
	return wire.Errorf(wire.Conflict, "run %s is over, so no answer can reject the hand-off at gate %s", h, gate).
		WithHint("apctl run ... --findings FILE   starts a run with your findings; see apctl help findings\napctl diff %s   shows its changes", h)
}
