package ctl

import (
	"context"
	"strings"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// express asks once whether a task that looks small needs its workflow. Anything but an
// explicit yes goes on with it; a yes starts nothing.
//
// Source: atdd-kit, seeds 3.1 and 6.2 A63: advisory, and never switched.
func (a *app) express(flow, saw string) error {
	typed, err := a.typed(func(s render.Style) string { return s.Express(flow, saw) })
	if err = unasked(err, func(error) error { return nil }); err != nil || !strings.EqualFold(typed, "yes") {
		return err
	}
	return render.WentExpress(flow)
}

// envHandoff is set to 1 by who starts a run and hands its approvals over.
const envHandoff = "FA_HANDOFF"

// handOver hands over the approvals of a run that is to be started, where the
// environment of the person who starts it says so, and nothing else can.
//
// Source: atdd-kit, seeds 3.1, 6.2 A48: a marker that the one who launches sets.
func (a *app) handOver(ctx context.Context, d Daemon, req *wire.StartRequest) error {
	switch value := a.getenv(envHandoff); value {
	case "", "0":
		return nil
	case "1":
	default:
		a.note(a.style(a.Err).NoHandoff(value))
		return nil
	}
	if req.Handoff = true; req.Spec.Workflow == workflowConverge {
		return nil // nobody is asked there
	}
	var pin wire.PINView
	if err := client.Call(ctx, d, wire.PINStatus, wire.None{}, &pin); err != nil || !pin.Set || !a.interactive() {
		return err
	}
	var err error
	_, req.PIN, err = a.proof(true, render.Style.HandoffPIN)
	return unasked(err, func(error) error { return nil }) // the daemon says why it is not taken
}
