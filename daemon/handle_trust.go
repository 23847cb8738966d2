package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/daemon/consent"
	"autopilot/events"
	"autopilot/events/wire"
)

func (d *Daemon) trustShow(ctx context.Context, _ bus.Request, body wire.TrustRequest) (wire.TrustView, error) {
	a, err := projectFile(ctx, body.Workspace)
	if err != nil {
		return wire.TrustView{}, err
	}
	return d.trustView(a)
}

// trustGive records a person's agreement to the content with a hash. What is
// recorded are the bytes that have that hash now.
func (d *Daemon) trustGive(ctx context.Context, q bus.Request, body wire.TrustRequest) (wire.TrustView, error) {
	proven, actor, err := d.consent.Prove(q)
	if err != nil {
		return wire.TrustView{}, err
	}
	a, err := projectFile(ctx, body.Workspace)
	if err != nil {
		return wire.TrustView{}, err
	}
	if a.hash() != body.Hash {
		return wire.TrustView{}, wire.Errorf(wire.Conflict, "%s has changed since it was shown, so nothing was trusted", a.path()).
			WithHint("apctl trust   shows it as it is now")
	}
	assurance, err := d.consent.Decide(proven.Assurance, consent.Given{PIN: body.PIN, Right: func() error {
		if body.Typed != wire.Challenge(body.Hash) {
			return wire.Errorf(wire.NeedsPerson, "what was typed is not the start of the hash that was shown, so nothing was trusted")
		}
		return nil
	}, Again: "apctl trust"})
	if err != nil {
		return wire.TrustView{}, err
	}
	if _, ok, err := d.trustIn(a.ws, events.Ref(body.Hash)); err != nil {
		return wire.TrustView{}, err
	} else if !ok {
		// What a person has decided is stored, also when the client leaves now.
		if err := d.giveTrust(context.WithoutCancel(ctx), a, assurance, actor, q.ID); err != nil {
			return wire.TrustView{}, err
		}
	}
	return d.trustView(a)
}
