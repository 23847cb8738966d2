package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) projectFind(_ context.Context, _ bus.Request, _ wire.ProjectRequest) (wire.ProjectView, error) {
	return wire.ProjectView{}, errUnbuilt
}

func (d *Daemon) gateTry(_ context.Context, _ wire.GateTryRequest, _ func(any) error) error {
	return errUnbuilt
}
