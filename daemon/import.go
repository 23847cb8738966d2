package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) archiveImport(_ context.Context, _ bus.Request, _ wire.ImportRequest) (wire.ImportView, error) {
	return wire.ImportView{}, wire.Errorf(wire.Failed, "not built yet")
}
