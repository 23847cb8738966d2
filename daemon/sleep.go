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

// tend does what has to be done now and then: it tells live runs how long the
// host slept, as deadlines of activity leave that time out, takes the leave of
// orphans, and takes on ballast again.
func (d *Daemon) tend(ctx context.Context) {
	tick := time.NewTicker(sleepEvery)
	defer tick.Stop()
	for before := slept(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		d.tended.note()
		d.Effects.Reap()
		if err := d.Journal.Disk.Refill(); err != nil {
			d.cfg.Log.Warn("disk", "error", err)
		}
		d.tellFull()
		d.budget.Tend(ctx, time.Now())
		d.Peers.Sweep(ctx)
		now := slept()
		if now-before >= sleepLeast {
			d.Fleet.Suspended(ctx, now-before)
			before = now
		}
	}
}
