package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) archiveErase(_ context.Context, _ bus.Request, _ wire.EraseRequest) (wire.EraseView, error) {
	return wire.EraseView{}, wire.Errorf(wire.Failed, "not built yet")
}
