package daemon

import (
	"context"

	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/projections/run"
)

// admit says whether an agent of the run may begin now, and what it may use.
func (d *Daemon) admit(ctx context.Context, s run.State) (work.Allowance, events.Data, error) {
	not, err := d.accounts.Admit(ctx, s)
	return work.Allowance{}, not, err
}
