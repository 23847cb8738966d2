package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"autopilot/daemon/api"
	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/config/trust"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/coord/worktree"
	"autopilot/daemon/history/removal"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/history/transfer"
	"autopilot/daemon/host/account"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// openFleet serves every run that is not over, and starts the background work.
func (d *Daemon) openFleet(ctx context.Context) error {
	d.background.ctx, d.background.cancel = context.WithCancel(context.Background())
	fctx := d.background.ctx
	j := journal.New(d.Log, d.HostID, time.Now)
	j.Disk, j.Named = disk.Ballast{Dir: d.cfg.Places.State}, d.Blobs.Settle
	if err := j.Disk.Refill(); err != nil {
		d.cfg.Log.Warn("disk", "error", err)
	}
	d.Journal = j
	var err error
	if d.HostLog, err = openHostLog(ctx, j, d.HostID, d.cfg.Log); err != nil {
		return err
	}
	d.Trust = trust.New(trust.Config{Hosts: d.HostLog, Blobs: d.Blobs, People: d.Consent, Language: d.api.ScreenLanguage})
	d.Flows = trust.NewFlows(d.Trust, func(ws tree.Workspace) config.Layers { return d.api.Layers(ws, nil) })
	d.Worker = d.newWorker()
	if d.Peers, err = d.openPeers(ctx, j); err != nil {
		return err
	}
	d.rolled.Record(ctx, d.HostLog)
	d.Fleet = fleet.New(fctx, fleet.Config{
		Journal: j, Worker: d.Worker, Flow: d.Worker.Flow, Host: d.HostID, Now: time.Now, Log: d.cfg.Log, Draining: d.draining.Load, Kept: d.kept,
	})
	d.Rolls = roll.NewRequests(d.rolled, d.Mark, d.Fleet)
	d.Sessions = d.newSessions()
	d.Removal = removal.New(d.removalConfig())
	d.openBudget()
	if err := d.serveFleet(ctx, j); err != nil {
		return err
	}
	d.Hooks = d.newHooks()
	d.Fleet.AddArchived(d.Archive)
	d.Worktrees = worktree.New(d.worktreeConfig())
	d.Exports, d.Imports = d.exporter(), transfer.NewImporter(d.importing(j.Disk))
	if err := d.endTries(fctx); err != nil {
		return err
	}
	d.loaded = true
	if err := d.Removal.Open(); err != nil {
		return err
	}
	if err := d.openNotify(fctx); err != nil {
		return err
	}
	d.rolled.Settle(d.HostLog)
	d.goOn(fctx)
	return nil
}

// serveFleet loads the fleet with its listeners for changes of runs, and sweeps after
// finished runs.
func (d *Daemon) serveFleet(ctx context.Context, j *journal.Journal) error {
	d.joinTeam(time.Now)
	actor := events.ActorDaemon(d.HostID)
	record := account.Own{Journal: j, Actor: actor, Log: d.cfg.Log}.Open
	if d.shared != nil {
		record = d.shared.Open
	}
	d.Accounts = account.New(account.Config{Open: record, Runs: d.Fleet, Actor: actor, Now: j.Now, Log: d.cfg.Log})
	d.Machine = d.newMachine()
	d.Claims = d.newClaims(j)
	d.Queue = queue.New(queue.Config{
		Journal: j, Runs: d.Fleet, Work: d.api.QueueWork(), Dir: filepath.Join(d.cfg.Places.State, "queues"), Actor: actor, Now: time.Now, Log: d.cfg.Log,
	})
	if err := d.Claims.Index(ctx); err != nil {
		return err
	}
	var lost map[string]error
	d.Fleet.Tell(fleet.Listener{
		Loading: func(ctx context.Context, open []run.State) error {
			found := make([]*run.State, len(open))
			for i := range open {
				found[i] = &open[i]
			}
			d.Machine.LineUp(ctx, found)
			lost = d.Claims.FindAgain(ctx, open, d.api.Text)
			return d.Accounts.Load(ctx, open)
		},
		Touched: d.Usage.Day.Changed,
		Noted: func(s run.State) {
			d.Accounts.Note(s)
			d.Machine.Note(s)
			d.Claims.Note(s)
		},
	})
	d.openTeam(d.background.ctx)
	if err := d.loadFleet(ctx); err != nil {
		return err
	}
	d.Claims.Served()
	if err := d.Queue.Index(ctx); err != nil {
		return err
	}
	d.stopLost(ctx, lost)
	if err := d.Worker.OwedTelemetry(ctx, d.Fleet.State); err != nil {
		d.cfg.Log.Warn("write the telemetry that runs owe", "error", err)
	}
	err := d.Worker.SweepSecrets(func(id string) bool {
		s, ok := d.Fleet.State(id)
		return ok && s.Status != run.Over
	})
	if err != nil {
		// A gate may leave files that only root can remove. The daemon starts all the
		// same.
		d.cfg.Log.Warn("remove what finished runs left", "error", err)
	}
	return nil
}

// goOn starts the background work of the daemon; it lasts until the daemon ends.
func (d *Daemon) goOn(ctx context.Context) {
	for _, work := range []func(context.Context){
		d.Removal.Finish, d.Worktrees.Finish, d.Imports.Finish, d.Accounts.Run, d.Claims.Run, d.Queue.Run, d.tend, d.Machine.Run, d.Fleet.KeepStates, d.watchIdle,
		d.api.SaySandbox,
	} {
		d.background.Go(func() { work(ctx) })
	}
}

func (d *Daemon) newWorker() *work.Worker {
	state := d.cfg.Places.State
	return work.New(work.Config{
		State: state, Program: d.cfg.Program, Home: d.cfg.Home, Blobs: d.Blobs, Effects: d.Effects,
		Trees: tree.Config{
			Root: filepath.Join(state, "trees"), Scratch: d.Scratch, Durable: d.cfg.Durability != bus.Process,
		},
		Listen: d.Bus.ListenEffect, GateEnv: d.gateEnv, Now: time.Now, Log: d.cfg.Log,
		Language: d.api.Language, Draft: d.drafts().Show, Admit: d.admit, Standing: d.standing, Refused: d.Bus.Refused, FindFlow: d.Flows.Of,
		Price: d.Limits.Price, Priced: d.Limits.Priced, Over: d.over,
		Sandbox: d.Sandbox, Unhidden: d.api.Unhidden, Confined: d.api.Confined, Late: d.cfg.Late, Copies: d.cfg.copies,
	})
}

func (d *Daemon) removalConfig() removal.Config {
	return removal.Config{
		Stores: removal.Stores{
			State: d.cfg.Places.State, Blobs: d.Blobs, Effects: d.Effects, Events: d.Log, Archive: d.Archive, Hosts: d.HostLog,
		},
		Runs: d.Fleet, Work: d.Worker, People: d.Consent,
		Find: d.api.Find, Task: func(s run.State) string { return api.OneLine(d.api.Text(s.Facts.Task)) }, Lasting: d.Lasting, Log: d.cfg.Log,
	}
}

func (d *Daemon) worktreeConfig() worktree.Config {
	return worktree.Config{
		Stores: worktree.Stores{
			State: d.cfg.Places.State, Home: d.cfg.Home, Blobs: d.Blobs, Hosts: d.HostLog, Repos: d.repos, Work: d.Worker,
		},
		Runs: d.Fleet, Claims: d.Claims, Sessions: d.Peers, Lasting: d.Lasting, Log: d.cfg.Log,
		Words: worktree.Words{
			Text:  d.api.Text,
			State: func(s run.State, now time.Time) string { return d.api.ViewAt(s, now).State },
		},
		Making: worktree.Making{
			Settings: func(ws tree.Workspace, noConfig bool) (wire.WorktreeSettings, error) {
				l, err := d.api.Usable(ws, nil, noConfig)
				if err != nil {
					return wire.WorktreeSettings{}, err
				}
				return l.Worktree(), nil
			},
			Session: func(q auth.Request) (string, bool) {
				who, err := d.Chats.Of(q)
				if err != nil {
					return "", false
				}
				return d.Peers.ID(who)
			},
		},
	}
}

func (d *Daemon) exporter() transfer.Exporter {
	return transfer.Exporter{
		State: d.Places.State, Version: d.Version, Host: d.HostID,
		Log: d.Log, Blobs: d.Blobs, Runs: d.Fleet, Find: d.api.Find,
	}
}

func (d *Daemon) importing(room disk.Ballast) transfer.ImportConfig {
	return transfer.ImportConfig{
		Host: d.HostID, Facts: d.HostLog, Known: d.Fleet, Log: d.Log,
		Archive: d.Archive, Blobs: d.Blobs, Disk: room, Out: d.Out,
	}
}

// endTries ends the tried gates of an earlier daemon that died, in the background.
func (d *Daemon) endTries(ctx context.Context) error {
	end, err := d.Worker.LeftTries()
	if err != nil {
		return fmt.Errorf("find gates that were tried: %w", err)
	}
	d.background.Go(func() {
		if err := end(ctx); err != nil && ctx.Err() == nil {
			d.Out.Warn("end gates that were tried", "error", err)
		}
	})
	return nil
}
