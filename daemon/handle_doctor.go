package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) doctor(_ context.Context, _ bus.Request, _ wire.DoctorRequest) (wire.DoctorView, error) {
	return wire.DoctorView{}, errUnbuilt
}
