package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) archiveRoll(_ context.Context, _ bus.Request, _ wire.RollRequest) (wire.RollView, error) {
	return wire.RollView{}, wire.Errorf(wire.Failed, "not built yet")
}
