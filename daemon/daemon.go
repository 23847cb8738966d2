package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/account"
	"autopilot/daemon/agent/price"
	"autopilot/daemon/archive"
	"autopilot/daemon/blob"
	"autopilot/daemon/budget"
	"autopilot/daemon/bus"
	"autopilot/daemon/chat"
	"autopilot/daemon/claim"
	"autopilot/daemon/config"
	"autopilot/daemon/consent"
	"autopilot/daemon/disk"
	"autopilot/daemon/durable"
	"autopilot/daemon/effect"
	"autopilot/daemon/effect/proc"
	"autopilot/daemon/fleet"
	"autopilot/daemon/hook"
	"autopilot/daemon/journal"
	"autopilot/daemon/machine"
	"autopilot/daemon/notify"
	"autopilot/daemon/peer"
	"autopilot/daemon/person"
	"autopilot/daemon/pin"
	"autopilot/daemon/removal"
	"autopilot/daemon/roll"
	"autopilot/daemon/session"
	"autopilot/daemon/snapshot"
	"autopilot/daemon/store"
	"autopilot/daemon/team"
	"autopilot/daemon/transfer"
	"autopilot/daemon/tree"
	"autopilot/daemon/trust"
	"autopilot/daemon/upload"
	"autopilot/daemon/work"
	"autopilot/daemon/worktree"
	"autopilot/events/log"
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
}

// errInside: a daemon that an agent could start would be the agent's own.
var errInside = errors.New("a daemon is not started from inside an effect")

// Daemon is an open daemon.
type Daemon struct {
	cfg     Config
	host    string
	started time.Time

	lock     *bus.StateLock
	bus      *bus.Bus
	mark     *store.Mark
	seals    *store.Seals
	kept     *fleet.Kept
	log      log.Log
	journal  *journal.Journal
	archive  *archive.Archive
	rolled   *roll.Outcome // of the roll that was asked for
	rolls    *roll.Desk
	blobs    *blob.Store
	effects  *effect.Runner
	worker   *work.Worker
	fleet    *fleet.Fleet
	notes    *notify.Notifier
	waits    diskWaits
	tended   progress
	hosts    *hostLog
	accounts *account.Calendar
	machine  *machine.Machine
	peers    *peer.Sessions
	sessions *session.Drivers
	hooks    *hook.Desk
	claims   *claim.Desk
	consent  *consent.Judge
	trust    *trust.Keeper
	flows    *trust.Flows
	team     *team.Team       // nil is none
	teamLog  *journal.Journal // ditto
	shared   *account.Shared  // ditto
	repos    *tree.Identities
	chats    *chat.Chats
	uploads  *upload.Gatherer
	past     past
	removal  *removal.Sweeper
	edits    sync.Mutex // one change of a configuration file at a time
	exports  transfer.Exporter
	imports  *transfer.Importer
	loaded   bool // all runs are served

	worktrees *worktree.Keeper

	limits *budget.Limits
	budget *budget.Keeper
	usage  *budget.Usage

	beside   beside
	stop     chan struct{} // closed when the daemon shall end
	stopOnce sync.Once
	draining atomic.Bool
	active   atomic.Int64 // when it was last needed, in Unix milliseconds
}

// beside is what the daemon does beside its runs: its goroutines, until ctx ends.
type beside struct {
	sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

// Open locks the state directory, starts the bus, folds the log and serves
// every run that is not over. The caller must Close it.
func Open(ctx context.Context, cfg Config) (_ *Daemon, err error) {
	d := &Daemon{cfg: cfg, started: time.Now(), stop: make(chan struct{})}
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
	d.ageLine()
	if d.host, err = hostID(cfg.Places.State); err != nil {
		return d, err
	}
	d.repos = tree.NewIdentities("", d.host)
	d.chats = d.newChats()
	prices, err := price.Shipped()
	if err != nil {
		return d, err
	}
	if err := d.openStores(ctx); err != nil {
		return d, err
	}
	self := person.Daemon{PID: os.Getpid(), UID: os.Getuid(), Owner: d.effects.Owner}
	d.consent = consent.New(person.System(), pin.Open(cfg.Places.State, time.Now), self, d.host)
	d.limits = budget.NewLimits(cfg.Places.Config, prices, d.blobs)
	if err := d.openFleet(ctx); err != nil {
		return d, err
	}
	return d, d.bus.Serve(d.handlers())
}

func (d *Daemon) openStores(ctx context.Context) (err error) {
	state := d.cfg.Places.State
	durable := blob.Power
	if d.cfg.Durability == bus.Process {
		durable = blob.Process
	}
	d.past.streams = store.StreamsIn(state)
	if d.blobs, err = blob.Open(filepath.Join(state, "blobs"), durable); err != nil {
		return err
	}
	d.uploads = upload.New(d.blobs)
	if d.effects, err = effect.New(effect.Config{Root: filepath.Join(state, "effects"), Shim: d.cfg.Shim, Orphans: d.cfg.Orphans, BootID: d.cfg.Boot}); err != nil {
		return err
	}
	if id, ok := d.effects.Owner(os.Getppid()); ok {
		return fmt.Errorf("%w: %s", errInside, id)
	}
	if err := d.roll(ctx); err != nil {
		return err
	}
	if err := d.openMark(); err != nil {
		return err
	}
	d.bus, err = bus.Open(bus.Config{
		Places: d.cfg.Places, Lock: d.lock, Durability: d.cfg.Durability, Quota: d.cfg.Quota,
		Version: d.cfg.Version, Host: d.host, Log: d.cfg.Log, Identify: d.identify, Listen: d.cfg.Listen,
	})
	if err != nil {
		return err
	}
	nc, err := d.bus.Daemon()
	if err != nil {
		return err
	}
	cfg := bus.LogConfig(d.cfg.Quota)
	cfg.Acknowledged, cfg.Witness = d.acknowledged, d.seals
	if d.archive, err = archive.OpenArchive(archive.DirIn(state), d.cfg.Log); err != nil {
		return err
	}
	l, err := log.Open(ctx, nc, cfg)
	d.log = fleet.History{Log: l, Archive: d.archive, Archived: d.archived}
	return err
}

// archived says that a run is in the archive and not in the log.
func (d *Daemon) archived(id string) bool {
	return d.fleet != nil && d.fleet.IsArchived(id)
}

// roll has a roll that was asked for done, while nobody has the store open.
func (d *Daemon) roll(ctx context.Context) error {
	boot, err := d.cfg.boot()
	if err != nil {
		return err
	}
	d.rolled, err = roll.Do(ctx, roll.Config{
		Places: d.cfg.Places, Boot: boot, Host: d.host, Version: d.cfg.Version, Quota: d.cfg.Quota,
		Free: disk.Ballast{Dir: d.cfg.Places.State}.Free, Now: time.Now, Log: d.cfg.Log,
	})
	if err == nil && d.rolled.Refused() != nil {
		d.cfg.Log.Error("roll the event log; it is as it was", "error", d.rolled.Refused())
	}
	return err
}

// openMark proves that what was acknowledged is there, before the server opens
// the store: the server would cut off what it cannot read.
func (d *Daemon) openMark() error {
	state := d.cfg.Places.State
	boot, err := d.cfg.boot()
	if err != nil {
		return fmt.Errorf("open the event store: %w", err)
	}
	if d.seals, err = store.OpenSeals(store.NamesIn(state), store.StreamsIn(state), boot); err != nil {
		return err
	}
	d.seals.Failed = func(err error) { d.cfg.Log.Error("prove the event store", "error", err) }
	d.kept, err = fleet.OpenKept(fleet.KeptConfig{
		Path: snapshot.FileIn(state), Streams: store.StreamsIn(state), Seals: d.seals, Log: d.cfg.Log, Reached: d.sealed,
	})
	if err != nil {
		return err
	}
	if d.mark, err = store.OpenMark(store.NamesIn(state).Mark, d.cfg.Durability == bus.Process, boot); err == nil {
		d.mark.Ease()
	}
	return err
}

// sealed makes a checkpoint of what the fold has read. Without one a power cut
// leaves more to believe.
func (d *Daemon) sealed(at log.Cursor) {
	err := d.mark.Sync()
	if err == nil {
		err = d.seals.Reached(at.Place())
	}
	if err != nil {
		d.cfg.Log.Error("move the checkpoint of the event store", "error", err)
	}
}

// acknowledged moves the mark. When that fails the mark is behind, which proves
// less and claims nothing wrong.
func (d *Daemon) acknowledged(stream string, position uint64) {
	if err := d.mark.Set(store.Position{Stream: stream, Last: position}); err != nil {
		d.cfg.Log.Error("move the mark of the event store", "error", err)
	}
}

// closeMark notes a clean end, once the server has closed its files.
func (d *Daemon) closeMark() error {
	if d.mark == nil {
		if d.seals != nil {
			return d.seals.Close(0)
		}
		return nil
	}
	n, err := store.BlockBytes(store.StreamsIn(d.cfg.Places.State), d.mark.Stream())
	if err != nil {
		n = -1
	}
	end := d.mark.Latest().Last
	if !d.loaded || err != nil {
		end = 0
	}
	return errors.Join(err, d.mark.Close(n), d.seals.Close(end))
}

// gateEnv reads gate.env anew for each run that starts.
func (d *Daemon) gateEnv() (map[string]string, error) {
	f := config.ReadUser(d.cfg.Places.Config)
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

// errHost says that the file with the name of this host has none: what was
// trusted is stored under that name, so it is not made anew without a word.
var errHost = errors.New("not the name of a host")

// hostID is the name of this host and state directory in events. It is made
// once.
func hostID(state string) (string, error) {
	path := filepath.Join(state, "host")
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(b) == 0:
	case err != nil:
		return "", fmt.Errorf("%w: %w", errHost, err)
	default:
		if _, err := ulid.ParseStrict(string(b)); err != nil {
			return "", fmt.Errorf("read %s: %w", path, errHost)
		}
		return string(b), nil
	}
	id := journal.NewID(time.Now())
	// Synced: what people trusted is stored under this name.
	if err := durable.Replace(path, []byte(id)); err != nil {
		return "", fmt.Errorf("name this host: %w", err)
	}
	return id, nil
}
