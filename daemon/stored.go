package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/daemon/transport/bus"
	"autopilot/daemon/transport/upload"
	"autopilot/events/log"
)

func (d *Daemon) openStores(ctx context.Context) (err error) {
	state := d.cfg.Places.State
	durable := blob.Power
	if d.cfg.Durability == bus.Process {
		durable = blob.Process
	}
	if d.Blobs, err = blob.Open(filepath.Join(state, "blobs"), durable); err != nil {
		return err
	}
	d.Uploads = upload.New(d.Blobs)
	if d.Effects, err = effect.New(effect.Config{Root: filepath.Join(state, "effects"), Shim: d.cfg.Shim, Orphans: d.cfg.Orphans, BootID: d.cfg.Boot}); err != nil {
		return err
	}
	if id, ok := d.Effects.Owner(os.Getppid()); ok {
		return fmt.Errorf("%w: %s", errInside, id)
	}
	if err := d.roll(ctx); err != nil {
		return err
	}
	if err := d.openMark(); err != nil {
		return err
	}
	d.Bus, err = bus.Open(bus.Config{
		Places: d.cfg.Places, Lock: d.lock, Durability: d.cfg.Durability, Quota: d.cfg.Quota,
		Version: d.cfg.Version, Host: d.HostID, Log: d.cfg.Log, Identify: d.identify, Listen: d.cfg.Listen,
	})
	if err != nil {
		return err
	}
	nc, err := d.Bus.Daemon()
	if err != nil {
		return err
	}
	cfg := bus.LogConfig(d.cfg.Quota)
	cfg.Acknowledged, cfg.Witness = d.acknowledged, d.Seals
	if d.Archive, err = archive.OpenArchive(archive.DirIn(state), d.cfg.Log); err != nil {
		return err
	}
	l, err := log.Open(ctx, nc, cfg)
	d.Log = fleet.History{Log: l, Archive: d.Archive, Archived: d.archived}
	return err
}

// archived says that a run is in the archive and not in the log.
func (d *Daemon) archived(id string) bool {
	return d.Fleet != nil && d.Fleet.IsArchived(id)
}

// roll performs a requested roll while no process has the store open.
func (d *Daemon) roll(ctx context.Context) error {
	boot, err := d.cfg.boot()
	if err != nil {
		return err
	}
	d.rolled, err = roll.Do(ctx, roll.Config{
		Places: d.cfg.Places, Boot: boot, Host: d.HostID, Version: d.cfg.Version, Quota: d.cfg.Quota,
		Free: disk.Ballast{Dir: d.cfg.Places.State}.Free, Now: time.Now, Log: d.cfg.Log,
	})
	if err == nil && d.rolled.Refused() != nil {
		d.cfg.Log.Error("roll the event log; it is as it was", "error", d.rolled.Refused())
	}
	return err
}

// openMark proves that acknowledged events are there before the server opens the store:
// the server would cut off unreadable events.
func (d *Daemon) openMark() error {
	state := d.cfg.Places.State
	boot, err := d.cfg.boot()
	if err != nil {
		return fmt.Errorf("open the event store: %w", err)
	}
	if d.Seals, err = filestore.OpenSeals(filestore.NamesIn(state), filestore.StreamsIn(state), boot); err != nil {
		return err
	}
	d.Seals.Failed = func(err error) { d.cfg.Log.Error("prove the event store", "error", err) }
	d.kept, err = fleet.OpenKept(fleet.KeptConfig{
		Path: snapshot.FileIn(state), Streams: filestore.StreamsIn(state), Seals: d.Seals, Log: d.cfg.Log, Reached: d.sealed,
	})
	if err != nil {
		return err
	}
	if d.Mark, err = filestore.OpenMark(filestore.NamesIn(state).Mark, d.cfg.Durability == bus.Process, boot); err == nil {
		d.Mark.Ease()
	}
	return err
}

// sealed makes a checkpoint of the events that the fold read. Without one, a power cut
// leaves more events unproven.
func (d *Daemon) sealed(at log.Cursor) {
	err := d.Mark.Sync()
	if err == nil {
		err = d.Seals.Reached(at.Place())
	}
	if err != nil {
		d.cfg.Log.Error("move the checkpoint of the event store", "error", err)
	}
}

// acknowledged moves the mark. After a failure the mark is behind: it proves less, and
// nothing wrong.
func (d *Daemon) acknowledged(stream string, position uint64) {
	if err := d.Mark.Set(filestore.Position{Stream: stream, Last: position}); err != nil {
		d.cfg.Log.Error("move the mark of the event store", "error", err)
	}
}

// closeMark notes a clean end, after the server has closed its files.
func (d *Daemon) closeMark() error {
	if d.Mark == nil {
		if d.Seals != nil {
			return d.Seals.Close(0)
		}
		return nil
	}
	n, err := filestore.BlockBytes(filestore.StreamsIn(d.cfg.Places.State), d.Mark.Stream())
	if err != nil {
		n = -1
	}
	end := d.Mark.Latest().Last
	if !d.loaded || err != nil {
		end = 0
	}
	return errors.Join(err, d.Mark.Close(n), d.Seals.Close(end))
}

// errHost says that the host file holds no name. Trust is stored under that name, so the
// daemon does not make a new one silently.
var errHost = errors.New("not the name of a host")

// hostID is the name of this host and state directory in events. The daemon makes it
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
	// Replace syncs the file: trust is stored under this name.
	if err := durable.Replace(path, []byte(id)); err != nil {
		return "", fmt.Errorf("name this host: %w", err)
	}
	return id, nil
}
