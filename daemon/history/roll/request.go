package roll

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/snapshot"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Runs are those of the daemon.
type Runs interface {
	Heads() []snapshot.Head
	IsArchived(id string) bool // it is in a bundle, and not in the log
}

// Requests is asked for a roll. It may be used from many goroutines.
type Requests struct {
	dir     dir
	free    func() uint64
	problem string // why the log was not rolled that was to be
	mark    *filestore.Mark
	runs    Runs
}

// NewRequests is that of a daemon whose store is open. Its answers say what came of the
// roll that was asked for before.
func NewRequests(of *Outcome, mark *filestore.Mark, runs Runs) *Requests {
	k := &Requests{dir: dir{of.cfg.Places.State}, free: of.cfg.Free, mark: mark, runs: runs}
	if of.refused != nil {
		k.problem = of.refused.Error()
	}
	return k
}

// Ask asks the next daemon for a roll. The caller restarts this one.
func (k *Requests) Ask(_ context.Context, _ auth.Request, body wire.RollRequest) (wire.RollView, error) {
	v := k.view()
	v.DryRun = body.DryRun
	if body.DryRun || v.Runs == 0 {
		return v, nil
	}
	if err := room(k.dir.state, k.mark.Stream(), k.free()); err != nil {
		return v, wire.Errorf(wire.Full, "%v", err).WithHint("make room on that disk; nothing was changed")
	}
	if err := os.MkdirAll(filepath.Dir(k.dir.request()), 0o700); err != nil {
		return v, fmt.Errorf("ask for a roll: %w", err)
	}
	if err := durable.Replace(k.dir.request(), nil); err != nil {
		return v, fmt.Errorf("ask for a roll: %w", err)
	}
	return v, nil
}

// view is what a roll would do now.
func (k *Requests) view() wire.RollView {
	n, _ := log.Generation(k.mark.Stream()) // without an event there is nothing to roll
	v := wire.RollView{From: int(n), To: int(n), Problem: k.problem}
	for _, h := range k.runs.Heads() {
		switch {
		case k.runs.IsArchived(h.ID):
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

// errRoom says that a roll may not fit onto the disk.
var errRoom = errors.New("there is too little room to roll the log")

// room refuses a roll that may fill the disk: what is over is written down as
// it is and in the bundle, all else once more.
func room(state, stream string, free uint64) error {
	n, err := filestore.BlockBytes(filestore.StreamsIn(state), stream)
	if err != nil {
		return err
	}
	if need := 2*uint64(n) + 4*disk.BallastBytes; free < need {
		return fmt.Errorf("%w: it may take %d MiB on the disk of %s, and %d MiB are free", errRoom, need>>20, state, free>>20)
	}
	return nil
}
