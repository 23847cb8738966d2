package daemon

import (
	"context"
	"path/filepath"
	"time"

	"autopilot/daemon/auth/trust"
	"autopilot/daemon/config"
	"autopilot/daemon/host/account"
	"autopilot/daemon/host/disk"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/repo/worktree"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/removal"
	"autopilot/daemon/store/roll"
	"autopilot/daemon/store/transfer"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// openFleet serves every run that is not over, and begins what goes on beside.
func (d *Daemon) openFleet(ctx context.Context) error {
	d.beside.ctx, d.beside.cancel = context.WithCancel(context.Background())
	fctx := d.beside.ctx
	j := journal.New(d.log, d.host, time.Now)
	j.Disk, j.Named = disk.Ballast{Dir: d.cfg.Places.State}, d.blobs.Settle
	if err := j.Disk.Refill(); err != nil {
		d.cfg.Log.Warn("disk", "error", err)
	}
	d.journal = j
	var err error
	if d.hosts, err = openHostLog(ctx, j, d.host, d.cfg.Log); err != nil {
		return err
	}
	d.trust = trust.New(trust.Config{Hosts: d.hosts, Blobs: d.blobs, People: d.consent, Language: d.screenLanguage})
	d.flows = trust.NewFlows(d.trust, func(ws tree.Workspace) config.Layers { return d.layers(ws, nil) })
	d.worker = d.newWorker()
	if d.peers, err = d.openPeers(ctx, j); err != nil {
		return err
	}
	d.rolled.Record(ctx, d.hosts)
	d.fleet = fleet.New(fctx, fleet.Config{
		Journal: j, Worker: d.worker, Flow: d.worker.Flow, Host: d.host, Now: time.Now, Log: d.cfg.Log, Draining: d.draining.Load, Kept: d.kept,
	})
	d.rolls = roll.NewDesk(d.rolled, d.mark, d.fleet)
	d.sessions = d.newSessions()
	d.removal = removal.New(d.removalConfig())
	d.openBudget()
	if err := d.serveFleet(ctx, j); err != nil {
		return err
	}
	d.hooks = d.newHooks()
	d.fleet.AddArchived(d.archive)
	d.worktrees = worktree.New(d.worktreeConfig())
	d.exports, d.imports = d.exporter(), transfer.NewImporter(d.importing(j.Disk))
	if err := d.endTries(fctx); err != nil {
		return err
	}
	d.loaded = true
	if err := d.removal.Open(); err != nil {
		return err
	}
	if err := d.openNotify(fctx); err != nil {
		return err
	}
	d.rolled.Settle(d.hosts)
	d.goOn(fctx)
	return nil
}

// serveFleet loads the fleet with those that hear of every change of a run, and
// sweeps after the runs that are over.
func (d *Daemon) serveFleet(ctx context.Context, j *journal.Journal) error {
	d.joinTeam(time.Now)
	actor := events.ActorDaemon(d.host)
	record := account.Own{Journal: j, Actor: actor, Log: d.cfg.Log}.Open
	if d.shared != nil {
		record = d.shared.Open
	}
	d.accounts = account.New(account.Config{Open: record, Runs: d.fleet, Actor: actor, Now: j.Now, Log: d.cfg.Log})
	d.machine = d.newMachine()
	d.claims = d.newClaims(j)
	if err := d.claims.Index(ctx); err != nil {
		return err
	}
	var lost map[string]error
	d.fleet.Tell(fleet.Listener{
		Loading: func(ctx context.Context, open []run.State) error {
			found := make([]*run.State, len(open))
			for i := range open {
				found[i] = &open[i]
			}
			d.machine.LineUp(ctx, found)
			lost = d.claims.FindAgain(ctx, open, d.text)
			return d.accounts.Load(ctx, open)
		},
		Touched: d.usage.Day.Changed,
		Noted: func(s run.State) {
			d.accounts.Note(s)
			d.machine.Note(s)
			d.claims.Note(s)
		},
	})
	d.openTeam(d.beside.ctx)
	if err := d.loadFleet(ctx); err != nil {
		return err
	}
	d.claims.Served()
	d.stopLost(ctx, lost)
	err := d.worker.SweepSecrets(func(id string) bool {
		s, ok := d.fleet.State(id)
		return ok && s.Status != run.Over
	})
	if err != nil {
		// Gates may have left what only root can remove: no reason not to start.
		d.cfg.Log.Warn("remove what finished runs left", "error", err)
	}
	return nil
}

// goOn begins what the daemon does beside its runs, until it ends.
func (d *Daemon) goOn(ctx context.Context) {
	for _, work := range []func(context.Context){
		d.removal.Finish, d.worktrees.Finish, d.imports.Finish, d.accounts.Run, d.claims.Run, d.tend, d.machine.Run, d.fleet.KeepStates, d.watchIdle,
	} {
		d.beside.Go(func() { work(ctx) })
	}
	d.beside.Go(d.saySandbox)
}

// scratch is the folder for what is thrown away: it is emptied at each start.
func (d *Daemon) scratch() string { return filepath.Join(d.cfg.Places.State, "scratch") }

func (d *Daemon) newWorker() *work.Worker {
	state := d.cfg.Places.State
	return work.New(work.Config{
		State: state, Program: d.cfg.Program, Home: d.cfg.Home, Blobs: d.blobs, Effects: d.effects,
		Trees: tree.Config{
			Root: filepath.Join(state, "trees"), Scratch: d.scratch(), Durable: d.cfg.Durability != bus.Process,
		},
		Listen: d.bus.ListenEffect, GateEnv: d.gateEnv, Now: time.Now, Log: d.cfg.Log,
		Language: d.language, Draft: d.drafts().Show, Admit: d.admit, Refused: d.bus.Refused, FindFlow: d.flows.Of,
		Price: d.limits.Price, Priced: d.limits.Priced, Over: d.over,
		Sandbox: d.cfg.sandbox(), Unhidden: d.unhidden, Confined: d.confined, Late: d.cfg.Late, Copies: d.cfg.copies,
	})
}

func (d *Daemon) removalConfig() removal.Config {
	return removal.Config{
		Stores: removal.Stores{
			State: d.cfg.Places.State, Blobs: d.blobs, Effects: d.effects, Events: d.log, Archive: d.archive, Hosts: d.hosts,
		},
		Runs: d.fleet, Work: d.worker, People: d.consent,
		Find: d.find, Task: func(s run.State) string { return oneLine(d.text(s.Facts.Task)) }, Lasting: d.lasting, Log: d.cfg.Log,
	}
}

func (d *Daemon) worktreeConfig() worktree.Config {
	return worktree.Config{
		Stores: worktree.Stores{
			State: d.cfg.Places.State, Home: d.cfg.Home, Blobs: d.blobs, Hosts: d.hosts, Repos: d.repos, Work: d.worker,
		},
		Runs: d.fleet, Claims: d.claims, Sessions: d.peers, Lasting: d.lasting, Log: d.cfg.Log,
		Words: worktree.Words{
			Text:  d.text,
			State: func(s run.State, now time.Time) string { return d.viewAt(s, now).State },
		},
		Making: worktree.Making{
			Settings: func(ws tree.Workspace, noConfig bool) (wire.WorktreeSettings, error) {
				l, err := d.usable(ws, nil, noConfig)
				if err != nil {
					return wire.WorktreeSettings{}, err
				}
				return l.Worktree(), nil
			},
			Session: func(q bus.Request) (string, bool) {
				who, err := d.chats.Of(q)
				if err != nil {
					return "", false
				}
				return d.peers.ID(who)
			},
		},
	}
}
