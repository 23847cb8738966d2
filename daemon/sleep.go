package daemon

import (
	"context"
	"time"
)

// Sleep is looked for this often, and told when it was longer than a hiccup.
const (
	sleepEvery = 5 * time.Second
	sleepLeast = 2 * time.Second
)

// watchSleep tells live runs how long the host slept. Deadlines of activity
// leave that time out.
func (d *Daemon) watchSleep(ctx context.Context) {
	tick := time.NewTicker(sleepEvery)
	defer tick.Stop()
	for before := slept(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := slept()
		if now-before >= sleepLeast {
			d.fleet.suspended(ctx, now-before)
			before = now
		}
	}
}
