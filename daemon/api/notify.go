package api

import (
	"context"
	"strings"

	"autopilot/daemon/auth"
	"autopilot/daemon/report/notify"
	"autopilot/events"
	"autopilot/events/wire"
)

// NotifyTest sends a test message through each rule and waits for every result.
func (a *Host) NotifyTest(ctx context.Context, q auth.Request, body wire.NotifyTestRequest) (wire.NotifyView, error) {
	on := notify.Kind(body.On)
	if on != "" && !notify.Known(on) {
		return wire.NotifyView{}, wire.Errorf(wire.Usage, "there is no kind %q", body.On).
			WithHint("kinds: %s", strings.Join(notify.Names(), ", "))
	}
	results, err := a.Notes.Test(ctx, on, q.ID)
	return wire.NotifyView{Results: results, File: a.Places.Config}, err
}

// Rings says whether terminals that follow a run ring for an event.
func (a *Views) Rings(e events.Event) bool {
	kind, ok := notify.KindOf(e.Data)
	return ok && a.Notes.Rings(kind)
}

// notifyView counts the messages that wait, and says what is wrong with the user's file.
func (a *Host) notifyView() (*wire.NotifyStatus, string) {
	v, problem := a.Notes.Status()
	return &v, problem
}
