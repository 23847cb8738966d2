package daemon

import (
	"context"

	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/projections/run"
)

// admit says whether an agent of the run may begin now, and what it may use.
func (d *Daemon) admit(context.Context, run.State) (work.Allowance, events.Data, error) {
	return work.Allowance{}, nil, nil
}
