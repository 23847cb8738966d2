package daemon

import (
	"context"
	"time"

	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/projections/run"
)

// admit says whether an agent of the run may begin now, and what it may use.
func (d *Daemon) admit(ctx context.Context, s run.State) (work.Allowance, events.Data, error) {
	allowed, not, err := d.allowance(s, time.Now())
	if err != nil || not != nil {
		return allowed, not, err
	}
	not, err = d.accounts.Admit(ctx, s)
	return allowed, not, err
}
