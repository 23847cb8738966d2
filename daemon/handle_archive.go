package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) archiveList(_ context.Context, _ bus.Request, _ struct{}) (wire.ArchiveView, error) {
	return wire.ArchiveView{}, wire.Errorf(wire.Failed, "not built yet")
}
