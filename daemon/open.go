package daemon

import (
	"context"
	"path/filepath"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/tree"
	"autopilot/daemon/work"
	"autopilot/projections/run"
)

// openFleet serves every run that is not over.
func (d *Daemon) openFleet(ctx context.Context) error {
	d.worker = d.newWorker()
	fctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	j := newJournal(d.log, d.host, time.Now)
	j.disk, j.named = ballast{d.cfg.Places.State}, d.blobs.Settle
	if err := j.disk.refill(); err != nil {
		d.cfg.Log.Warn("disk", "error", err)
	}
	var err error
	if d.hosts, err = openHostLog(ctx, j, d.host, d.cfg.Log); err != nil {
		return err
	}
	if d.peers, err = d.openPeers(ctx, j); err != nil {
		return err
	}
	d.recordRoll(ctx)
	d.fleet = newFleet(fctx, j, d.worker, d.host, time.Now, d.cfg.Log, d.worker.Flow)
	d.fleet.draining = d.draining.Load
	d.accounts = newAccounts(d.fleet)
	d.machine = newMachine(d.cfg.Places.State)
	d.claims = d.newClaims(j)
	if err := d.claims.index(ctx); err != nil {
		return err
	}
	learn, know := d.fleet.noted, d.fleet.loading
	d.fleet.noted = func(s run.State) {
		learn(s)
		d.machine.seen(s)
		d.claims.note(s)
	}
	var lost map[string]error
	d.fleet.loading = func(ctx context.Context, open []run.State) error {
		lost = d.claims.findAgain(ctx, open, d.text)
		return know(ctx, open)
	}
	d.kept.log, d.kept.room = d.log, j.disk.plenty
	d.fleet.kept = d.kept
	if err := d.loadFleet(ctx); err != nil {
		return err
	}
	d.claims.served()
	d.stopLost(ctx, lost)
	d.fleet.addArchived(d.archive)
	err = d.worker.SweepSecrets(func(id string) bool {
		s, ok := d.fleet.state(id)
		return ok && s.Status != run.Over
	})
	if err != nil {
		// Gates may have left what only root can remove: no reason not to start.
		d.cfg.Log.Warn("remove what finished runs left", "error", err)
	}
	if err := d.endTries(fctx); err != nil {
		return err
	}
	d.loaded = true
	if err := d.openRemoval(); err != nil {
		return err
	}
	d.fleet.wg.Go(func() { d.finishRemoval(fctx) })
	d.fleet.wg.Go(func() { d.noteImports(fctx) })
	if err := d.openNotify(fctx); err != nil {
		return err
	}
	d.settleRoll()
	d.fleet.wg.Go(func() { d.accounts.Run(fctx) })
	d.fleet.wg.Go(func() { d.claims.Run(fctx) })
	d.fleet.wg.Go(func() { d.tend(fctx) })
	d.fleet.wg.Go(func() { d.tendMachine(fctx) })
	d.fleet.wg.Go(d.saySandbox)
	d.fleet.wg.Go(func() { d.fleet.keepStates(fctx) })
	d.fleet.wg.Go(func() { d.watchIdle(fctx) })
	return nil
}

func (d *Daemon) newWorker() *work.Worker {
	state := d.cfg.Places.State
	return work.New(work.Config{
		State: state, Program: d.cfg.Program, Home: d.cfg.Home, Blobs: d.blobs, Effects: d.effects,
		Trees: tree.Config{
			Root: filepath.Join(state, "trees"), Durable: d.cfg.Durability != bus.Process,
		},
		Listen: d.bus.ListenEffect, GateEnv: d.gateEnv, Now: time.Now, Log: d.cfg.Log,
		Admit: d.admit, Refused: d.bus.Refused, FindFlow: d.flowOf,
		Price: d.priceOf, Priced: d.priced, Over: d.over,
		Sandbox: d.cfg.sandbox(), Confined: d.confined,
	})
}
