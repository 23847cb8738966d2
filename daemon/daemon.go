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
	probe   api.Prober            // in the place of sandbox.Probe; may be nil
}

// sandbox is what effects are confined from.
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

// errInside: a daemon that an agent could start would be the agent's own.
var errInside = errors.New("a daemon is not started from inside an effect")

// Daemon is an open daemon: its rooms, what answers about them, and what it does
// in the background.
type Daemon struct {
	cfg Config
	*api.Rooms
	api *api.API

	lock       *bus.StateLock
	kept       *fleet.Kept
	rolled     *roll.Outcome // of the roll that was asked for
	repos      *tree.Identities
	teamLog    *journal.Journal // with teamShared what daemons of a team have in common; nil without one
	shared     *account.Shared
	loaded     bool // all runs are served
	background background
	shutdown

	waits  diskWaits
	tended progress
}

// shutdown is how the daemon comes to its end.
type shutdown struct {
	stop     chan struct{} // closed when the daemon shall end
	stopOnce sync.Once
	draining atomic.Bool
	active   atomic.Int64 // when it was last needed, in Unix milliseconds
}

// background is what the daemon does besides its runs: its goroutines, until ctx ends.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Go begins something. What a request asks for while the daemon ends is not begun any
// more: nobody would wait for it.
func (b *background) Go(work func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.wg.Go(work)
	}
}

// Wait waits for all; ctx has ended. Nothing is begun after it.
func (b *background) Wait() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wg.Wait()
}

// Open locks the state directory, starts the bus, folds the log and serves
// every run that is not over. The caller must Close it.
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
	// No link that an effect could change leads to the state from here on.
	if cfg.Places.State, err = filepath.EvalSymlinks(cfg.Places.State); err != nil {
		return d, fmt.Errorf("find the state directory: %w", err)
	}
	d.cfg.Places.State, d.Places.State = cfg.Places.State, cfg.Places.State
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

// gateEnv reads gate.env anew for each run that starts.
func (d *Daemon) gateEnv() (map[string]string, error) {
	f := d.Settings.Read()
	return f.Gate.Env, f.Err()
}

// identify says who the process at the other end of a connection is.
func (d *Daemon) identify(pid, uid int) auth.Identity {
	if id, ok := d.Effects.Owner(pid); ok {
		return auth.Identity{Kind: auth.KindEffect, UID: uid, PID: pid, Effect: id}
	}
	id := auth.Identity{Kind: auth.KindLocal, UID: uid, PID: pid}
	if p, err := proc.Read(pid); err == nil {
		id.Start = p.Start // what is proven of it later is about this process
	}
	return id
}

// Done is closed when the daemon shall end: on request or after idle time.
func (d *Daemon) Done() <-chan struct{} { return d.stop }

// End asks for the end of the daemon.
func (d *Daemon) End() { d.stopOnce.Do(func() { close(d.stop) }) }

// Close ends the daemon: runs are let go of, effects live on.
func (d *Daemon) Close(ctx context.Context) error {
	var errs []error
	if d.background.cancel != nil {
		d.background.cancel()
	}
	if d.Fleet != nil {
		d.Fleet.Close()
		d.background.Wait()
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
			end, ok := d.IdleEnd(0)
			if !ok {
				d.Touch() // the wait begins when it is needed no more
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

// IdleEnd is when an idle daemon ends; false while it is needed by a run, by
// what is still to be told, or by more clients than those that only ask for it.
func (d *Daemon) IdleEnd(asking int) (time.Time, bool) {
	if d.cfg.IdleAfter <= 0 || d.Fleet.Live() > 0 || d.Notes.Busy() || d.Bus.Clients() > asking {
		return time.Time{}, false
	}
	return time.UnixMilli(d.active.Load()).Add(d.cfg.IdleAfter), true
}

// Touch notes that someone needs the daemon.
func (d *Daemon) Touch() { d.active.Store(time.Now().UnixMilli()) }

// Draining reports whether the daemon begins nothing more.
func (d *Daemon) Draining() bool { return d.draining.Load() }

// Lasting is a context that ends with the daemon and not with the caller: what
// was begun is finished.
func (d *Daemon) Lasting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.background.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// Drain begins no run and no iteration any more, and waits for those under way. If
// ctx ends before, all goes on.
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

// handlers are the endpoints of the verbs, as the bus calls them.
func (d *Daemon) handlers() map[string]bus.Handler {
	all := map[string]bus.Handler{}
	for _, e := range d.api.Endpoints() {
		all[e.Name] = func(ctx context.Context, q auth.Request, body []byte, r *bus.Reply) error {
			return e.Serve(ctx, q, body, r)
		}
	}
	return all
}
