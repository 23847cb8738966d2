package daemon

import (
	"context"
	"time"

	"autopilot/daemon/coord/team"
	"autopilot/daemon/host/account"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
)

// teamWait is how long a start waits for the team.
const teamWait = 3 * time.Second

// joinTeam makes the team of this daemon, if it has one. Nobody connects yet.
func (d *Daemon) joinTeam(now func() time.Time) {
	if d.cfg.Team == nil {
		return
	}
	d.Team = team.New(team.Config{
		Servers: *d.cfg.Team, Name: "autopilotd " + d.HostID, Blobs: d.Blobs, Log: d.cfg.Log, Now: now, Heard: d.teamHeard, Came: d.teamCame,
	})
	d.teamLog = journal.New(d.Team.Log(), d.HostID, now)
	d.shared = account.NewShared(d.teamLog, events.ActorDaemon(d.HostID), time.Now, d.cfg.Log)
}

// openTeam begins to share, and waits a little: who asks first shall not hear that
// it was not tried yet.
func (d *Daemon) openTeam(ctx context.Context) {
	if d.Team == nil {
		return
	}
	d.background.Go(func() { d.Team.Run(ctx) })
	timer := time.NewTimer(teamWait)
	defer timer.Stop()
	select {
	case <-d.Team.Tried():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// teamHeard takes an event of the team's log, whoever has stored it.
func (d *Daemon) teamHeard(ctx context.Context, st log.Stored) {
	switch st.Event.Aggregate.Kind {
	case events.KindClaim:
		d.Claims.Heard(ctx, st)
	case events.KindAccount:
		d.shared.Heard(ctx, st)
		d.Accounts.Heard(st.Event.Aggregate.ID)
	case events.KindRun, events.KindPeer, events.KindHost: // each daemon has its own
	}
}

// teamCame stores what is owed, and looks at what was not seen meanwhile.
func (d *Daemon) teamCame(ctx context.Context) {
	for _, id := range d.shared.Settle(ctx) {
		d.Accounts.Heard(id)
	}
	d.Claims.Wake()
}
