package daemon

import (
	"cmp"
	"context"
	"os"
	"os/user"
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
		Servers: *d.cfg.Team, Self: d.self(), Blobs: d.Blobs, Log: d.cfg.Log, Now: now,
		Heard: d.teamHeard, Came: d.teamCame, Answers: d.teamAnswers,
	})
	d.teamLog = journal.New(d.Team.Log(), d.HostID, now)
	d.teamLog.Pause = 20 * time.Millisecond // an election takes a while
	d.shared = account.NewShared(d.teamLog, events.ActorDaemon(d.HostID), time.Now, d.cfg.Log)
	d.shared.Patience = cmp.Or(d.cfg.patience, d.shared.Patience)
}

// self is what the other hosts are told of this one.
func (d *Daemon) self() team.Self {
	s := team.Self{Host: d.HostID, Version: d.Version}
	s.Name, _ = os.Hostname() // without a name its id is shown
	if u, err := user.Current(); err == nil {
		s.Person = u.Username
	}
	return s
}

// openTeam begins to share, and waits a little, so that the first caller hears what is
// claimed.
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
	case events.KindRun, events.KindPeer, events.KindHost, events.KindQueue: // each daemon has its own
	}
}

// teamCame looks at what was not seen meanwhile.
func (d *Daemon) teamCame(context.Context) {
	for _, id := range d.shared.Known() {
		d.Accounts.Heard(id)
	}
	d.Claims.Wake()
}

// teamAnswers stores what is owed to the team.
func (d *Daemon) teamAnswers(ctx context.Context) {
	for _, id := range d.shared.Settle(ctx) {
		d.Accounts.Heard(id)
	}
}
