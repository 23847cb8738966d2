package consent

import (
	"context"
	"errors"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/pin"
	"autopilot/events/wire"
)

// HasPIN says that a PIN is asked for. Where that cannot be told the decision
// itself says why.
func (j *Judge) HasPIN() bool {
	st, err := j.pins.Status()
	return err == nil && st.Set
}

// ShowPIN says whether a PIN is set.
func (j *Judge) ShowPIN(context.Context, auth.Request, struct{}) (wire.PINView, error) {
	st, err := j.pins.Status()
	v := wire.PINView{Set: st.Set, Wrong: st.Wrong}
	if st.Set {
		v.At = &st.At
	}
	if !st.Until.IsZero() {
		v.Until = &st.Until
	}
	return v, err
}

// SetPIN sets the PIN, or removes it, for a person at a terminal who knows the
// one that is set.
func (j *Judge) SetPIN(ctx context.Context, q auth.Request, body wire.PINRequest) (wire.PINView, error) {
	if _, _, err := j.Prove(q); err != nil {
		return wire.PINView{}, err
	}
	var err error
	if body.Remove {
		err = j.pins.Remove(body.Old)
	} else {
		err = j.pins.Set(body.Old, body.New)
	}
	switch {
	case errors.Is(err, pin.ErrForm):
		return wire.PINView{}, wire.Errorf(wire.Usage, "%v", err)
	case errors.Is(err, pin.ErrNone):
		return wire.PINView{}, wire.Errorf(wire.NotFound, "%v", err).WithHint("apctl pin set")
	case err != nil:
		return wire.PINView{}, pinFault(err)
	}
	return j.ShowPIN(ctx, q, struct{}{})
}

// pinFault says why a PIN is not taken.
func pinFault(err error) error {
	var w *pin.WaitError
	switch {
	case errors.Is(err, pin.ErrWrong):
		return wire.Errorf(wire.NeedsPerson, "%s; nothing has changed", wire.WrongPIN).WithHint("apctl pin status   shows the number of wrong tries")
	case errors.As(err, &w):
		return wire.Errorf(wire.NeedsPerson, "%v: the next try is possible from %s on", err, w.Until.UTC().Format(time.RFC3339)).
			WithHint("apctl pin status")
	}
	return err
}
