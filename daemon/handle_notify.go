package daemon

import (
	"context"
	"strings"

	"autopilot/daemon/report/notify"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

// notifyTest sends a test through the rules and waits for each.
func (d *Daemon) notifyTest(ctx context.Context, q bus.Request, body wire.NotifyTestRequest) (wire.NotifyView, error) {
	on := notify.Kind(body.On)
	if on != "" && !notify.Known(on) {
		return wire.NotifyView{}, wire.Errorf(wire.Usage, "there is no kind %q", body.On).
			WithHint("kinds: %s", strings.Join(notify.Names(), ", "))
	}
	results, err := d.notes.Test(ctx, on, q.ID)
	return wire.NotifyView{Results: results, File: d.cfg.Places.Config}, err
}
