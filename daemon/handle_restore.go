package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) runRestore(_ context.Context, _ bus.Request, _ wire.RestoreRequest) (wire.RestoreView, error) {
	return wire.RestoreView{}, errUnbuilt
}
