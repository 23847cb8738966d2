package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) rawExport(_ context.Context, _ bus.Request, _ *bus.Reply) error {
	return wire.Errorf(wire.Failed, "not built yet")
}
