package daemon

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"autopilot/daemon/host/sdnotify"
)

// A worker that has not moved for so long has stalled.
const (
	tendStalls  = time.Minute     // it moves every few seconds
	actorStalls = 5 * time.Minute // within one decision, which may have to wait for a slow disk
)

// progress is when a worker has moved last, in Unix milliseconds.
type progress struct{ at atomic.Int64 }

func (p *progress) note() { p.at.Store(time.Now().UnixMilli()) }

func (p *progress) age() time.Duration { return time.Since(time.UnixMilli(p.at.Load())) }

// stalled says which long worker of the daemon does not move, or nil. It has to
// be able to look at the fleet at all: one that is locked for ever stops who
// asks.
func (d *Daemon) stalled() error {
	if age := d.tended.age(); age > tendStalls {
		return fmt.Errorf("the daemon has not looked after its runs for %v", age.Round(time.Second))
	}
	for id, busy := range d.Fleet.BusySince() {
		if age := time.Since(busy); age > actorStalls {
			return fmt.Errorf("run %s has not moved within a decision for %v", id, age.Round(time.Second))
		}
	}
	return nil
}

// report tells the service manager that the daemon serves, and then how it is
// until it is closed.
func (d *Daemon) report(m *sdnotify.Manager) {
	d.say(m, sdnotify.Ready)
	d.background.Go(func() { d.watchdog(d.background.ctx, m) })
}

func (d *Daemon) say(m *sdnotify.Manager, what string) {
	if err := m.Say(what); err != nil {
		d.cfg.Log.Error("tell the service manager", "message", what, "error", err)
	}
}

// watchdog gives the service manager signs of life for as long as the daemon
// moves: being alive is not the same. Without one it does nothing.
func (d *Daemon) watchdog(ctx context.Context, m *sdnotify.Manager) {
	if m.Every() <= 0 {
		return
	}
	tick := time.NewTicker(m.Every())
	defer tick.Stop()
	for {
		err := d.stalled()
		if err == nil {
			err = m.Say(sdnotify.Watchdog)
		}
		if err != nil {
			d.cfg.Log.Error("no sign of life for the service manager", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
