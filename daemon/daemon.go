package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/daemon/auth/trust"
	"autopilot/daemon/config"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/hook"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/coord/team"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/host/account"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/repo/worktree"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/session"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/removal"
	"autopilot/daemon/store/roll"
	"autopilot/daemon/store/transfer"
	"autopilot/daemon/transport/bus"
	"autopilot/daemon/transport/upload"
	"autopilot/events/place"
)

// Config is what a daemon is opened with.
type Config struct {
	Places     place.Places
	Home       string         // of the user
	Program    string         // path of autopilotd itself
	Shim       string         // path of apshim
	Orphans    bool           // the process is the daemon alone, and adopts what dead supervisors leave
	Version    string         // of the build
	Durability bus.Durability // empty is power
	Quota      int64          // bytes of the event store, 0 is the default
	IdleAfter  time.Duration  // ends after so long without a live run or a client; 0 never
	LogFile    string         // shown by status
	Service    string         // what has started it, if it is a service: systemd or launchd
	Boot       string         // of the host; empty asks the kernel
	Team       *bus.Team      // whom claims and accounts are shared with; nil is nobody
	Listen     *bus.Listen    // lets others in over the network; nil is nobody
	// AskAfterReboot halts the runs that were live when the host went down.
	AskAfterReboot bool
	Late           *time.Duration   // in the place of rule.LateWrites; may be nil
	Now            func() time.Time // in the place of time.Now for signs of life of sessions; may be nil
	Log            *slog.Logger

	machine func(*machine.Config) // has the last word on it; may be nil
	pinCost int                   // in the place of pin.Cost; may be 0
	copies  bool                  // as work.Config.Copies
	probe   prober                // in the place of sandbox.Probe; may be nil
}

// errInside: a daemon that an agent could start would be the agent's own.
var errInside = errors.New("a daemon is not started from inside an effect")

// Daemon is an open daemon: what it keeps, its runs and what performs them, and for
// each subject who answers about it.
type Daemon struct {
	cfg      Config
	settings *config.Held
	host     string
	started  time.Time

	stored
	bus     *bus.Bus
	effects *effect.Runner
	worker  *work.Worker
	fleet   *fleet.Fleet
	loaded  bool // all runs are served
	beside  beside
	leaving

	subjects
	common
	notes  *notify.Notifier
	waits  diskWaits
	tended progress
	past   past
	edits  sync.Mutex // one change of a configuration file at a time
}

// subjects are who answers about what, each with its verbs.
type subjects struct {
	accounts  *account.Calendar
	budget    *budget.Keeper
	chats     *chat.Chats
	claims    *claim.Desk
	consent   *consent.Judge
	exports   transfer.Exporter
	flows     *trust.Flows
	hooks     *hook.Desk
	imports   *transfer.Importer
	limits    *budget.Limits
	machine   *machine.Machine
	peers     *peer.Sessions
	removal   *removal.Sweeper
	repos     *tree.Identities
	rolls     *roll.Desk
	sessions  *session.Drivers
	trust     *trust.Keeper
	uploads   *upload.Gatherer
	usage     *budget.Usage
	worktrees *worktree.Keeper
}

// common is what daemons of a team have in common; all of it is nil without one.
type common struct {
	team    *team.Team
	teamLog *journal.Journal
	shared  *account.Shared
}

// leaving is how the daemon comes to its end.
type leaving struct {
	stop     chan struct{} // closed when the daemon shall end
	stopOnce sync.Once
	draining atomic.Bool
	active   atomic.Int64 // when it was last needed, in Unix milliseconds
}

// beside is what the daemon does beside its runs: its goroutines, until ctx ends.
type beside struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Go begins something. What a request asks for while the daemon ends is not begun any
// more: nobody would wait for it.
func (b *beside) Go(work func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.wg.Go(work)
	}
}

// Wait waits for all; ctx has ended. Nothing is begun after it.
func (b *beside) Wait() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wg.Wait()
}

// Open locks the state directory, starts the bus, folds the log and serves
// every run that is not over. The caller must Close it.
func Open(ctx context.Context, cfg Config) (_ *Daemon, err error) {
	d := &Daemon{cfg: cfg, settings: config.Hold(cfg.Places.Config), started: time.Now(), leaving: leaving{stop: make(chan struct{})}}
	d.active.Store(d.started.UnixMilli())
	d.tended.note()
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close(ctx))
		}
	}()
	if d.lock, err = bus.Lock(cfg.Places, cfg.Version); err != nil {
		return d, err
	}
	// No link that an effect could change leads to the state from here on.
	if cfg.Places.State, err = filepath.EvalSymlinks(cfg.Places.State); err != nil {
		return d, fmt.Errorf("find the state directory: %w", err)
	}
	d.cfg.Places.State = cfg.Places.State
	if err := d.settings.Remember(filepath.Join(cfg.Places.State, "settings-folder")); err != nil {
		return d, fmt.Errorf("note the folder of the settings: %w", err)
	}
	d.ageLine()
	if d.host, err = hostID(cfg.Places.State); err != nil {
		return d, err
	}
	if err := os.RemoveAll(d.scratch()); err != nil {
		return d, fmt.Errorf("empty the folder for what is thrown away: %w", err)
	}
	d.repos = tree.NewIdentities("", d.host, d.scratch())
	d.chats = d.newChats()
	prices, err := price.Shipped()
	if err != nil {
		return d, err
	}
	if err := d.openStores(ctx); err != nil {
		return d, err
	}
	self := person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: d.effects.Owner}
	d.consent = consent.New(person.System(), pin.Open(cfg.Places.State, time.Now, cmp.Or(cfg.pinCost, pin.Cost)), self, d.host)
	d.limits = budget.NewLimits(d.settings, prices, d.blobs)
	if err := d.openFleet(ctx); err != nil {
		return d, err
	}
	return d, d.bus.Serve(d.handlers())
}

// gateEnv reads gate.env anew for each run that starts.
func (d *Daemon) gateEnv() (map[string]string, error) {
	f := d.settings.Read()
	return f.Gate.Env, f.Err()
}

// identify says who the process at the other end of a connection is.
func (d *Daemon) identify(pid, uid int) bus.Identity {
	if id, ok := d.effects.Owner(pid); ok {
		return bus.Identity{Kind: bus.KindEffect, UID: uid, PID: pid, Effect: id}
	}
	id := bus.Identity{Kind: bus.KindLocal, UID: uid, PID: pid}
	if p, err := proc.Read(pid); err == nil {
		id.Start = p.Start // what is proven of it later is about this process
	}
	return id
}

// Done is closed when the daemon shall end: on request or after idle time.
func (d *Daemon) Done() <-chan struct{} { return d.stop }

// end asks for the end of the daemon.
func (d *Daemon) end() { d.stopOnce.Do(func() { close(d.stop) }) }

// Close ends the daemon: runs are let go of, effects live on.
func (d *Daemon) Close(ctx context.Context) error {
	var errs []error
	if d.beside.cancel != nil {
		d.beside.cancel()
	}
	if d.fleet != nil {
		d.fleet.Close()
		d.beside.Wait()
		if d.notes != nil {
			d.notes.Close()
		}
	}
	if d.loaded {
		d.claims.Close(ctx)
		d.fleet.SaveStates(ctx)
	}
	if d.bus != nil {
		errs = append(errs, d.bus.Close(ctx))
	}
	if d.loaded {
		d.leaveLine(ctx)
	}
	if d.effects != nil {
		errs = append(errs, d.effects.Close())
	}
	errs = append(errs, d.settings.Close())
	errs = append(errs, d.closeMark())
	if d.archive != nil {
		errs = append(errs, d.archive.Close())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Unlock())
	}
	return errors.Join(errs...)
}

// watchIdle ends the daemon when nothing has needed it for a while.
func (d *Daemon) watchIdle(ctx context.Context) {
	if d.cfg.IdleAfter <= 0 {
		return
	}
	every := max(min(d.cfg.IdleAfter/10, 10*time.Second), 10*time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			end, ok := d.idleEnd(0)
			if !ok {
				d.active.Store(time.Now().UnixMilli()) // the wait begins when it is needed no more
				continue
			}
			if !time.Now().Before(end) {
				d.cfg.Log.Info("nothing to do: the daemon ends", "idle", d.cfg.IdleAfter)
				d.end()
				return
			}
		}
	}
}

// idleEnd is when an idle daemon ends; false while it is needed by a run, by
// what is still to be told, or by more clients than those that only ask for it.
func (d *Daemon) idleEnd(asking int) (time.Time, bool) {
	if d.cfg.IdleAfter <= 0 || d.fleet.Live() > 0 || d.notes.Busy() || d.bus.Clients() > asking {
		return time.Time{}, false
	}
	return time.UnixMilli(d.active.Load()).Add(d.cfg.IdleAfter), true
}

// drain begins no run and no iteration any more, and waits for those under way.
func (d *Daemon) drain(ctx context.Context) error {
	d.draining.Store(true)
	for {
		changed := d.fleet.Wait()
		if !d.fleet.Busy() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
