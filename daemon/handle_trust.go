package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) trustShow(_ context.Context, _ bus.Request, _ wire.TrustRequest) (wire.TrustView, error) {
	return wire.TrustView{}, errUnbuilt
}

func (d *Daemon) trustGive(_ context.Context, _ bus.Request, _ wire.TrustRequest) (wire.TrustView, error) {
	return wire.TrustView{}, errUnbuilt
}
