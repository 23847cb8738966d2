package consent

import (
	"errors"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/events"
	"autopilot/events/wire"
)

// Judge says who decides.
type Judge struct {
	People person.Table // of the processes of this host
	pins   *pin.Store
	daemon person.Daemon
	host   string
}

// New is the Judge of a daemon at a host.
func New(people person.Table, pins *pin.Store, daemon person.Daemon, host string) *Judge {
	return &Judge{People: people, pins: pins, daemon: daemon, host: host}
}

// Prove proves that a request comes from a person at a terminal, and gives the
// actor that decides.
func (j *Judge) Prove(q auth.Request) (person.Proof, string, error) {
	p, err := person.Prove(j.People, j.daemon, person.Caller{PID: q.PID, Start: q.Start})
	var r *person.Refusal
	switch {
	case errors.As(err, &r):
		return p, "", wire.Errorf(wire.NeedsPerson, "this needs a person at a terminal: %v", r)
	case err != nil:
		return p, "", err
	}
	return p, events.ActorPerson(q.UID, j.host, p.TTY), nil
}

// Given is what a person at a terminal gives for a decision: the PIN where one is
// set, else what was typed of what was shown.
type Given struct {
	PIN   string
	Right func() error // about what was typed
	Again string       // the command that asks for it
}

// Decide says how sure it is that a proven person decides.
//
// Source: atdd-kit, seeds 3.7: gates ask for the strongest proof that is set up.
func (j *Judge) Decide(proven events.Assurance, g Given) (events.Assurance, error) {
	st, err := j.pins.Status()
	switch {
	case err != nil:
		return "", err
	case !st.Set:
		return proven, g.Right()
	case g.PIN == "":
		return "", wire.Errorf(wire.NeedsPerson, "the decision needs the PIN; nothing has changed").WithHint("%s   asks for the PIN at a terminal", g.Again)
	}
	if err := j.pins.Check(g.PIN); err != nil {
		return "", pinFault(err)
	}
	return events.AssuredPIN, nil
}
