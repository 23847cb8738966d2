package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autopilot/daemon/bus"
	"autopilot/daemon/disk"
	"autopilot/daemon/durable"
	"autopilot/daemon/store"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// A roll begins a new generation of the log: what is over goes into a bundle of
// the archive, all else goes over as it is, with the same bytes and the same
// chain. It is asked for by a file, and done by the next daemon before its server
// opens the store, so that nobody writes meanwhile. Everything is made beside
// what there is. Then one record is written, and from there on the roll is only
// ever finished: a daemon that dies before it leaves the old generation, and one
// that dies behind it the new one to whoever comes next.

// rolling is where a roll is prepared, below a state directory.
type rolling struct{ state string }

func (r rolling) in(name string) string { return filepath.Join(r.state, "roll", name) }

func (r rolling) request() string { return r.in("request") }
func (r rolling) commit() string  { return r.in("commit") }
func (r rolling) bundle() string  { return r.in("bundle") }
func (r rolling) spill() string   { return r.in("events") }
func (r rolling) next() string    { return r.in("next") } // a state directory with nothing but the new store

// errRollCut says that the files of the store are those of two generations.
var errRollCut = errors.New("a roll of the log was cut off, and the next daemon finishes it: apctl daemon start")

// whole refuses a state directory in which a roll is to be finished first.
func (r rolling) whole() error {
	if there(r.commit()) {
		return errRollCut
	}
	return nil
}

// asked says whether a roll was asked for, and forgets that: one that ends the
// daemon is not tried again by itself.
func (r rolling) asked() (bool, error) {
	err := os.Remove(r.request())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// clear removes what was prepared.
func (r rolling) clear() error {
	n := store.NamesIn(r.state).Next()
	errs := []error{os.RemoveAll(r.in(""))}
	for _, path := range []string{n.Mark, n.Seals, n.Sealed} {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// archiveRoll asks the next daemon for a roll. Who asks restarts this one.
func (d *Daemon) archiveRoll(_ context.Context, _ bus.Request, body wire.RollRequest) (wire.RollView, error) {
	v := d.rollView()
	v.DryRun = body.DryRun
	if body.DryRun || v.Runs == 0 {
		return v, nil
	}
	if err := rollRoom(d.cfg.Places.State, d.mark.Stream(), disk.Ballast{Dir: d.cfg.Places.State}.Free()); err != nil {
		return v, wire.Errorf(wire.Full, "%v", err).WithHint("make room on that disk; nothing was changed")
	}
	r := rolling{d.cfg.Places.State}
	if err := os.MkdirAll(filepath.Dir(r.request()), 0o700); err != nil {
		return v, fmt.Errorf("ask for a roll: %w", err)
	}
	if err := durable.Replace(r.request(), nil); err != nil {
		return v, fmt.Errorf("ask for a roll: %w", err)
	}
	return v, nil
}

// rollView is what a roll would do now.
func (d *Daemon) rollView() wire.RollView {
	n, _ := log.Generation(d.mark.Stream()) // without an event there is nothing to roll
	v := wire.RollView{From: int(n), To: int(n), Problem: d.rollProblem}
	for _, h := range d.fleet.Heads() {
		switch {
		case d.fleet.IsArchived(h.ID):
		case h.Status == run.Over:
			v.Runs++
		default:
			v.Carried++
		}
	}
	if v.Runs > 0 {
		v.To++
	}
	return v
}

// errRollRoom says that a roll may not fit onto the disk.
var errRollRoom = errors.New("there is too little room to roll the log")

// rollRoom refuses a roll that may fill the disk: what is over is written down as
// it is and in the bundle, all else once more.
func rollRoom(state, stream string, free uint64) error {
	n, err := store.BlockBytes(store.StreamsIn(state), stream)
	if err != nil {
		return err
	}
	if need := 2*uint64(n) + 4*disk.BallastBytes; free < need {
		return fmt.Errorf("%w: it may take %d MiB on the disk of %s, and %d MiB are free", errRollRoom, need>>20, state, free>>20)
	}
	return nil
}
