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
	"autopilot/daemon/api"
	"autopilot/daemon/auth"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/daemon/config"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/host/account"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/transport/bus"
	"autopilot/events/place"
)

// Config configures a daemon.
type Config struct {
	Places     place.Places
	Home       string         // of the user
	Program    string         // path of autopilotd itself
	Shim       string         // path of apshim
	Orphans    bool           // the process is the daemon alone, and adopts orphans of dead supervisors
	Version    string         // of the build
	Durability bus.Durability // empty is power
	Quota      int64          // bytes of the event store, 0 is the default
	IdleAfter  time.Duration  // ends after that long without a live run or a client; 0 never
	LogFile    string         // shown by status
	Service    string         // systemd or launchd, where the daemon is a service
	Boot       string         // of the host; empty asks the kernel
	Team       *bus.Team      // servers for shared claims and accounts; nil without a team
	Listen     *bus.Listen    // lets clients in over the network; nil for none
	// AskAfterReboot halts the runs that were live when the host went down.
	AskAfterReboot bool
	Late           *time.Duration   // replaces rule.LateWrites; may be nil
	Now            func() time.Time // replaces time.Now for signs of life of sessions; may be nil
	Log            *slog.Logger

	patience  time.Duration         // replaces account.Shared.Patience; may be 0
	treeMaker []string              // replaces apctl worktree; may be nil
	machine   func(*machine.Config) // changes the config last; may be nil
	pinCost   int                   // replaces pin.Cost; may be 0
	copies    bool                  // as work.Config.Copies
	probe     api.Prober            // replaces sandbox.Probe; may be nil
}

// sandbox returns the host facts for the confinement of effects.
func (c Config) sandbox() sandbox.Host {
	var secrets []string
	if c.Team != nil && c.Team.Credentials != "" {
		secrets = append(secrets, c.Team.Credentials)
	}
	return sandbox.Host{
		Secrets: secrets,
		State:   c.Places.State, Runtime: c.Places.Runtime, Config: c.Places.Config, Home: c.Home, Temp: "/tmp", UID: os.Getuid(),
		Programs: []string{c.Program, c.Shim, filepath.Join(filepath.Dir(c.Program), "apctl")}, Getenv: os.Getenv,
	}
}

// errInside: an agent could start a daemon under its own control.
var errInside = errors.New("a daemon is not started from inside an effect")

// Daemon is an open daemon: its rooms, its API, and its background work.
type Daemon struct {
	cfg Config
	*api.Rooms
	api *api.API

	lock       *bus.StateLock
	kept       *fleet.Kept
	rolled     *roll.Outcome // the roll that a person asked for
	repos      *tree.Identities
	teamLog    *journal.Journal // the log of the team, and its accounts in shared; nil without a team
	shared     *account.Shared
	budget     *budget.Keeper
	loaded     bool // the daemon serves all runs
	background background
	shutdown

	waits  diskWaits
	tended progress
}

// shutdown is the end of the daemon.
type shutdown struct {
	stop     chan struct{} // closed to end the daemon
	stopOnce sync.Once
	draining atomic.Bool
	active   atomic.Int64 // time of the last need, in Unix milliseconds
}

// background holds the goroutines of the daemon besides its runs, until ctx ends.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Go starts work in the background. It starts nothing while the daemon ends: nothing
// would wait for that work.
func (b *background) Go(work func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.wg.Go(work)
	}
}

// Wait waits for all work after ctx has ended. Nothing starts after it.
func (b *background) Wait() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wg.Wait()
}

// Open locks the state directory, starts the bus, folds the log and serves every run that
// is not over. The caller must call Close.
func Open(ctx context.Context, cfg Config) (_ *Daemon, err error) {
	d := &Daemon{cfg: cfg, shutdown: shutdown{stop: make(chan struct{})}}
	d.Rooms = &api.Rooms{
		Places: cfg.Places, Home: cfg.Home, Version: cfg.Version, Started: time.Now(), LogFile: cfg.LogFile, Service: cfg.Service,
		Durability: cmp.Or(cfg.Durability, bus.Power), Settings: config.Hold(cfg.Places.Config), Daemon: d, Out: cfg.Log, Probe: cfg.probe,
	}
	d.api = api.New(d.Rooms)
	d.Touch()
	d.tended.note()
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close(ctx))
		}
	}()
	if d.lock, err = bus.Lock(cfg.Places, cfg.Version); err != nil {
		return d, err
	}
	// From here on, effects cannot change a link on the way to the state.
	if cfg.Places.State, err = filepath.EvalSymlinks(cfg.Places.State); err != nil {
		return d, fmt.Errorf("find the state directory: %w", err)
	}
	d.cfg.Places.State, d.Places.State = cfg.Places.State, cfg.Places.State
	if d.TreeMaker = cfg.treeMaker; d.TreeMaker == nil {
		d.TreeMaker = []string{filepath.Join(filepath.Dir(cfg.Program), "apctl"), "worktree"}
	}
	d.TreeEnv = []string{place.EnvState + "=" + cfg.Places.State}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		d.TreeEnv = append(d.TreeEnv, "XDG_RUNTIME_DIR="+dir)
	}
	d.Scratch, d.Sandbox = filepath.Join(cfg.Places.State, "scratch"), d.cfg.sandbox()
	if err := d.Settings.Remember(filepath.Join(cfg.Places.State, "settings-folder")); err != nil {
		return d, fmt.Errorf("note the folder of the settings: %w", err)
	}
	d.ageLine()
	if d.HostID, err = hostID(cfg.Places.State); err != nil {
		return d, err
	}
	if err := os.RemoveAll(d.Scratch); err != nil {
		return d, fmt.Errorf("empty the folder for what is thrown away: %w", err)
	}
	d.repos = tree.NewIdentities("", d.HostID, d.Scratch)
	d.Chats = d.newChats()
	prices, err := price.Shipped()
	if err != nil {
		return d, err
	}
	if err := d.openStores(ctx); err != nil {
		return d, err
	}
	self := person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: d.Effects.Owner}
	d.Consent = consent.New(person.System(), pin.Open(cfg.Places.State, time.Now, cmp.Or(cfg.pinCost, pin.Cost)), self, d.HostID)
	d.Limits = budget.NewLimits(d.Settings, prices, d.Blobs)
	if err := d.openFleet(ctx); err != nil {
		return d, err
	}
	return d, d.Bus.Serve(d.handlers())
}

// gateEnv reads gate.env anew for each run at its start.
func (d *Daemon) gateEnv() (map[string]string, error) {
	f := d.Settings.Read()
	return f.Gate.Env, f.Err()
}

// identify names the process at the other end of a connection.
func (d *Daemon) identify(pid, uid int) auth.Identity {
	if id, ok := d.Effects.Owner(pid); ok {
		return auth.Identity{Kind: auth.KindEffect, UID: uid, PID: pid, Effect: id}
	}
	id := auth.Identity{Kind: auth.KindLocal, UID: uid, PID: pid}
	if p, err := proc.Read(pid); err == nil {
		id.Start = p.Start // later proofs are about this process
	}
	return id
}

// Done is closed when the daemon must end: on request or after idle time.
func (d *Daemon) Done() <-chan struct{} { return d.stop }

// End asks for the end of the daemon.
func (d *Daemon) End() { d.stopOnce.Do(func() { close(d.stop) }) }

// Close ends the daemon: it lets go of runs, and effects live on.
func (d *Daemon) Close(ctx context.Context) error {
	var errs []error
	if d.background.cancel != nil {
		d.background.cancel()
	}
	if d.Fleet != nil {
		d.Fleet.Close()
		d.background.Wait()
		if d.Queue != nil {
			d.Queue.Close()
		}
		if d.Notes != nil {
			d.Notes.Close()
		}
	}
	if d.loaded {
		d.Claims.Close(ctx)
		d.Fleet.SaveStates(ctx)
	}
	if d.Bus != nil {
		errs = append(errs, d.Bus.Close(ctx))
	}
	if d.loaded {
		d.leaveLine(ctx)
	}
	if d.Effects != nil {
		errs = append(errs, d.Effects.Close())
	}
	errs = append(errs, d.Settings.Close())
	errs = append(errs, d.closeMark())
	if d.Archive != nil {
		errs = append(errs, d.Archive.Close())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Unlock())
	}
	return errors.Join(errs...)
}

// watchIdle ends the daemon after idle time.
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
			end, ok := d.IdleEnd(0)
			if !ok {
				d.Touch() // the idle time begins after the need ends
				continue
			}
			if !time.Now().Before(end) {
				d.cfg.Log.Info("nothing to do: the daemon ends", "idle", d.cfg.IdleAfter)
				d.End()
				return
			}
		}
	}
}

// IdleEnd is when an idle daemon ends. It is false while a run, a waiting notice, or more
// than asking clients need the daemon.
func (d *Daemon) IdleEnd(asking int) (time.Time, bool) {
	if d.cfg.IdleAfter <= 0 || d.Fleet.Live() > 0 || d.Queue.Busy() || d.Notes.Busy() || d.Bus.Clients() > asking {
		return time.Time{}, false
	}
	return time.UnixMilli(d.active.Load()).Add(d.cfg.IdleAfter), true
}

// Touch notes that a client needs the daemon.
func (d *Daemon) Touch() { d.active.Store(time.Now().UnixMilli()) }

// Draining reports whether the daemon refuses new work.
func (d *Daemon) Draining() bool { return d.draining.Load() }

// Lasting returns a context that ends with the daemon, not with the caller, so that the
// daemon finishes what it began.
func (d *Daemon) Lasting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.background.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// Drain stops new runs and iterations, and waits for those under way. If ctx ends first,
// the daemon takes work again.
func (d *Daemon) Drain(ctx context.Context) error {
	d.draining.Store(true)
	for {
		changed := d.Fleet.Wait()
		if !d.Fleet.Busy() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			d.draining.Store(false)
			return ctx.Err()
		}
	}
}

// handlers wraps the endpoints of the verbs for the bus.
func (d *Daemon) handlers() map[string]bus.Handler {
	all := map[string]bus.Handler{}
	for _, e := range d.api.Endpoints() {
		all[e.Name] = func(ctx context.Context, q auth.Request, body []byte, r *bus.Reply) error {
			return e.Serve(ctx, q, body, r)
		}
	}
	return all
}
