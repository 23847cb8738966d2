package daemon

import (
	"context"

	"autopilot/events/wire"
)

func (d *Daemon) runReplay(_ context.Context, _ wire.ReplayRequest, _ func(any) error) error {
	return errUnbuilt
}
