package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) archivePrune(_ context.Context, _ bus.Request, _ wire.PruneRequest) (wire.PruneView, error) {
	return wire.PruneView{}, wire.Errorf(wire.Failed, "not built yet")
}
