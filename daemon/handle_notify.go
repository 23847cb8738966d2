package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) notifyTest(_ context.Context, _ bus.Request, _ wire.NotifyTestRequest) (wire.NotifyView, error) {
	return wire.NotifyView{}, errUnbuilt
}
