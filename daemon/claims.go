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
func (d *Daemon) newClaims(j *journal.Journal) *claim.Service {
	k := claim.New(claim.Config{
		Journal: j, Team: d.Team, TeamLog: d.teamLog, Blobs: d.Blobs, Host: d.HostID, StateDir: d.cfg.Places.State, Now: time.Now,
		Alive: d.ownerAlive, Live: d.Fleet.IsLive, Log: d.cfg.Log,
	})
	return &claim.Service{
		Keeper: k, Runs: d.Fleet, Chats: d.Chats, Repos: d.repos,
		People: d.Consent,
	}
}

// ownerAlive says that the process of a session goes on.
func (d *Daemon) ownerAlive(o events.ClaimOwner) bool {
	boot, err := d.cfg.boot()
	return err == nil && claim.Alive(d.Consent.People, boot, o)
}

// stopLost stops the runs whose work trees another has.
func (d *Daemon) stopLost(ctx context.Context, lost map[string]error) {
	for id, why := range lost {
		d.cfg.Log.Error("a run has lost its work tree while no daemon was there, so it halts", "run", id, "error", d.Claims.Fault(why))
		stop := engine.Stop{Mode: events.StopNow, Reason: events.HaltClaimLost, By: d.Worker.Text(ctx, d.Claims.Taker(why))}
		if _, err := d.Fleet.Do(ctx, id, stop, events.ActorDaemon(d.HostID), ""); err != nil {
			d.cfg.Log.Error("stop a run", "run", id, "error", err)
		}
	}
}
