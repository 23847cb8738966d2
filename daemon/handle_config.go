package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) configShow(_ context.Context, _ bus.Request, _ wire.ConfigRequest) (wire.ConfigView, error) {
	return wire.ConfigView{}, errUnbuilt
}

func (d *Daemon) configSet(_ context.Context, _ bus.Request, _ wire.ConfigSetRequest) (wire.ConfigView, error) {
	return wire.ConfigView{}, errUnbuilt
}
