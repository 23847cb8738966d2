package daemon

import (
	"context"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/journal"
	"autopilot/events"
)

// newClaims keeps the claims of this host. It knows of processes and runs what the
// daemon knows.
func (d *Daemon) newClaims(j *journal.Journal) *claim.Desk {
	k := claim.New(claim.Config{
		Journal: j, Team: d.team, TeamLog: d.teamLog, Blobs: d.blobs, Host: d.host, StateDir: d.cfg.Places.State, Now: time.Now,
		Alive: d.ownerAlive, Live: d.fleet.IsLive, Log: d.cfg.Log,
	})
	return &claim.Desk{
		Keeper: k, Runs: d.fleet, Chats: d.chats, Repos: d.repos,
		People: d.consent,
	}
}

// ownerAlive says that the process of a session goes on.
func (d *Daemon) ownerAlive(o events.ClaimOwner) bool {
	boot, err := d.cfg.boot()
	return err == nil && claim.Alive(d.consent.People, boot, o)
}

// stopLost stops the runs whose work trees another has.
func (d *Daemon) stopLost(ctx context.Context, lost map[string]error) {
	for id, why := range lost {
		d.cfg.Log.Error("a run has lost its work tree while no daemon was there, so it halts", "run", id, "error", d.claims.Fault(why))
		stop := engine.Stop{Mode: events.StopNow, Reason: events.HaltClaimLost, By: d.worker.Text(ctx, d.claims.Taker(why))}
		if _, err := d.fleet.Do(ctx, id, stop, events.ActorDaemon(d.host), ""); err != nil {
			d.cfg.Log.Error("stop a run", "run", id, "error", err)
		}
	}
}

// hold takes a work tree for a run: within this daemon, then beside others.
func (d *Daemon) hold(ctx context.Context, project, top, id, handle, cause, except string) (release func(), err error) {
	within, err := d.within(project, cause, except)
	if err != nil {
		return nil, err
	}
	settle, err := d.claims.ForRun(ctx, id, handle, top, cause)
	if err != nil {
		within()
		return nil, d.offered(err, except)
	}
	return func() { settle(); within() }, nil
}
