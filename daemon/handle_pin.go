package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/pin"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// pinStatus says whether a PIN is set.
func (d *Daemon) pinStatus(context.Context, bus.Request, struct{}) (wire.PINView, error) {
	st, err := d.secret.Status()
	v := wire.PINView{Set: st.Set, Wrong: st.Wrong}
	if st.Set {
		v.At = at(st.At)
	}
	if !st.Until.IsZero() {
		v.Until = at(st.Until)
	}
	return v, err
}

// hasPIN says that a PIN is asked for. Where that cannot be told the decision
// itself says why.
func (d *Daemon) hasPIN() bool {
	st, err := d.secret.Status()
	return err == nil && st.Set
}

// pinSet sets the PIN, or removes it, for a person at a terminal who knows the
// one that is set.
func (d *Daemon) pinSet(ctx context.Context, q bus.Request, body wire.PINRequest) (wire.PINView, error) {
	if _, _, err := d.person(q); err != nil {
		return wire.PINView{}, err
	}
	var err error
	if body.Remove {
		err = d.secret.Remove(body.Old)
	} else {
		err = d.secret.Set(body.Old, body.New)
	}
	switch {
	case errors.Is(err, pin.ErrForm):
		return wire.PINView{}, wire.Errorf(wire.Usage, "%v", err)
	case errors.Is(err, pin.ErrNone):
		return wire.PINView{}, wire.Errorf(wire.NotFound, "%v", err).WithHint("apctl pin set")
	case err != nil:
		return wire.PINView{}, pinFault(err)
	}
	return d.pinStatus(ctx, q, struct{}{})
}

// pinFault says why a PIN is not taken.
func pinFault(err error) error {
	var w *pin.WaitError
	switch {
	case errors.Is(err, pin.ErrWrong):
		return wire.Errorf(wire.NeedsPerson, "the PIN is wrong, so nothing was decided").WithHint("apctl pin status   says how many tries were wrong")
	case errors.As(err, &w):
		return wire.Errorf(wire.NeedsPerson, "%v: the next one is looked at from %s on", err, w.Until.UTC().Format(time.RFC3339)).
			WithHint("apctl pin status")
	}
	return err
}

// consent is what a person at a terminal gives for a decision: the PIN where one is
// set, else what was typed of what was shown.
type consent struct {
	pin   string
	right func() error // about what was typed
	again string       // the command that asks for it
}

// decides says how sure it is that a person decides.
//
// Source: atdd-kit, seeds 3.7: gates ask for the strongest proof that is set up.
func (d *Daemon) decides(proven events.Assurance, p consent) (events.Assurance, error) {
	st, err := d.secret.Status()
	switch {
	case err != nil:
		return "", err
	case !st.Set:
		return proven, p.right()
	case p.pin == "":
		return "", wire.Errorf(wire.NeedsPerson, "a PIN is set, so it is needed to decide, and nothing was decided").WithHint("%s   asks for it, at a terminal", p.again)
	}
	if err := d.secret.Check(p.pin); err != nil {
		return "", pinFault(err)
	}
	return events.AssuredPIN, nil
}

// typedHandle is nil if what was typed is the handle of the run.
func typedHandle(s run.State, typed, did string) error {
	if !strings.EqualFold(typed, s.Facts.Handle) {
		return wire.Errorf(wire.NeedsPerson, "what was typed is not %s, so nothing was %s", s.Facts.Handle, did)
	}
	return nil
}

// decidesErasing says how sure it is that a person has a run erased.
func (d *Daemon) decidesErasing(s run.State, proven events.Assurance, body wire.EraseRequest) (events.Assurance, error) {
	return d.decides(proven, consent{body.PIN, func() error { return typedHandle(s, body.Typed, "erased") }, "apctl archive erase " + s.Facts.Handle})
}

// assured says how sure it is that a person answers, if that is enough.
func (d *Daemon) assured(s run.State, body wire.AnswerRequest, proven events.Assurance) (events.Assurance, error) {
	st, err := d.secret.Status()
	if err != nil {
		return "", err
	}
	demanded, h := s.Question.Assurance, s.Facts.Handle
	switch {
	case demanded.Level() > events.AssuredPIN.Level():
		return "", wire.Errorf(wire.NeedsPerson, "gate %s of run %s needs assurance %s, which cannot be given here", s.Question.Gate, h, demanded)
	case !st.Set && demanded.Level() > proven.Level():
		return "", wire.Errorf(wire.NeedsPerson, "gate %s of run %s is answered with a PIN, and none is set", s.Question.Gate, h).
			WithHint("apctl pin set   sets one; then apctl answer %s", h)
	}
	return d.decides(proven, consent{body.PIN, func() error { return typedRight(s, body.Typed) }, "apctl answer " + h})
}
