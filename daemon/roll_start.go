package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/archive"
	"autopilot/daemon/disk"
	"autopilot/daemon/durable"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/snapshot"
	"autopilot/daemon/store"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
)

// roller does a roll, with the lock held and the store closed.
type roller struct {
	rolling
	places  place.Places
	names   store.Names
	boot    string
	host    string
	version string
	quota   int64
	free    func() uint64 // room on the disk
	now     func() time.Time
	log     *slog.Logger
}

// rollRecord is what a roll has made. Once it is on the disk the roll is done,
// but for moving everything to its place.
type rollRecord struct {
	events.LogRolled
	At     time.Time  `json:"at"`
	Cursor log.Cursor `json:"cursor,omitzero"` // up to where people were told what happened
	Untold []string   `json:"untold,omitzero"` // stored events of runs that are over, and behind it
}

// roll finishes a roll that was cut off, and does one that was asked for. Only
// what cannot be finished is an error: a roll that is refused leaves the log as
// it was.
func (d *Daemon) roll(ctx context.Context) error {
	boot, err := d.cfg.boot()
	if err != nil {
		return err
	}
	state := d.cfg.Places.State
	r := &roller{
		rolling: rolling{state}, places: d.cfg.Places, names: store.NamesIn(state), boot: boot,
		host: d.host, version: d.cfg.Version, quota: d.cfg.Quota,
		free: disk.Ballast{Dir: state}.Free, now: time.Now, log: d.cfg.Log,
	}
	done, refused, err := r.run(ctx)
	if err != nil {
		return fmt.Errorf("roll the event log: %w", err)
	}
	if refused != nil {
		d.rollProblem = refused.Error()
		d.cfg.Log.Error("roll the event log; it is as it was", "error", refused)
	}
	d.rolled = done
	return nil
}

// run is nil, nil, nil where there was nothing to do.
func (r *roller) run(ctx context.Context) (done *rollRecord, refused, err error) {
	asked, err := r.asked()
	if err != nil {
		return nil, nil, err
	}
	c, err := r.committed()
	if err == nil && c == nil {
		if asked {
			c, refused = r.prepare(ctx)
		}
		if c == nil {
			return nil, refused, r.clear()
		}
	}
	if err == nil {
		err = r.finish(ctx, *c)
	}
	return c, nil, err
}

// committed is the record of a roll that is not finished, nil if there is none.
func (r *roller) committed() (*rollRecord, error) {
	b, err := os.ReadFile(r.commit())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c rollRecord
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.commit(), err)
	}
	return &c, nil
}

// prepare makes all that is new, and commits it.
func (r *roller) prepare(ctx context.Context) (*rollRecord, error) {
	began := r.now()
	stream, err := store.Stream(r.names.Mark)
	if err != nil {
		return nil, err
	}
	if err := rollRoom(r.state, stream, r.free()); err != nil {
		return nil, err
	}
	p, err := r.prove(r.names, store.StreamsIn(r.state))
	if err != nil {
		return nil, err
	}
	if len(p.over) == 0 {
		return nil, errNothingOver
	}
	c := &rollRecord{LogRolled: events.LogRolled{From: int(p.generation), To: int(p.generation) + 1, Runs: len(p.over)}, At: began, Cursor: log.Begin(p.generation + 1)}
	r.log.Info("rolling the event log", "generation", c.To, "over", len(p.over), "events", p.events)
	if err := r.move(ctx, p, c); err != nil {
		return nil, err
	}
	b, err := json.Marshal(c)
	if err == nil {
		err = durable.Replace(r.commit(), b)
	}
	if err != nil {
		return nil, fmt.Errorf("commit a roll: %w", err)
	}
	failpoint.Hit(failpoint.RollCommitted)
	r.log.Info("rolled the event log", "generation", c.To, "runs", c.Runs, "events", c.Events, "carried", c.Carried, "took", r.now().Sub(began))
	return c, nil
}

// finish moves everything to its place. It may be asked again, wherever it was
// cut off.
func (r *roller) finish(ctx context.Context, c rollRecord) error {
	if err := r.takeIn(ctx, c); err != nil {
		return fmt.Errorf("archive the bundle: %w", err)
	}
	failpoint.Hit(failpoint.RollArchived)
	old := r.in("old")
	if there(filepath.Join(r.next(), "store")) {
		if err := moveAway(filepath.Join(r.state, "store"), old); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RollAside)
		if err := os.Rename(filepath.Join(r.next(), "store"), filepath.Join(r.state, "store")); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RollSwapped)
	}
	next := r.names.Next()
	for _, m := range [][2]string{{next.Mark, r.names.Mark}, {next.Seals, r.names.Seals}, {next.Sealed, r.names.Sealed}} {
		if err := os.Rename(m[0], m[1]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		failpoint.Hit(failpoint.RollMarked)
	}
	if err := os.Remove(snapshot.FileIn(r.state)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it is of the old generation
	}
	return errors.Join(durable.SyncDir(r.state), os.RemoveAll(old), os.RemoveAll(r.next()))
}

// moveAway moves what is there, and nothing that was moved before.
func moveAway(from, to string) error {
	if !there(from) {
		return nil
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// takeIn puts the bundle into the archive. The archive takes the file that it is
// given, and one that was not taken is gone with the next daemon: so it gets a
// copy.
func (r *roller) takeIn(ctx context.Context, c rollRecord) (err error) {
	if !there(r.bundle()) {
		return nil
	}
	a, err := archive.OpenArchive(archive.DirIn(r.state), r.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	tmp, err := a.Temp()
	if err != nil {
		return err
	}
	if err := copyInto(tmp, r.bundle()); err != nil {
		return err
	}
	if _, err := a.Add(ctx, tmp.Name(), false, c.At); err != nil {
		return err
	}
	return os.Remove(r.bundle())
}

func copyInto(to *os.File, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return errors.Join(err, to.Close())
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return errors.Join(err, to.Close())
}
