package daemon

import (
	"context"
	"fmt"
	"path/filepath"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// archiveList says where history is, and what it takes.
func (d *Daemon) archiveList(ctx context.Context, _ bus.Request, _ struct{}) (wire.ArchiveView, error) {
	state := d.cfg.Places.State
	v := wire.ArchiveView{
		Dir: archive.DirIn(state), Pruned: d.hosts.State().Pruned,
		Bundles: []wire.BundleView{},
	}
	v.Texts, v.Outputs, v.Trees = d.removal.Takes(ctx)
	if err := ctx.Err(); err != nil {
		return v, err
	}
	u, err := d.log.Usage(ctx)
	if err != nil {
		return v, fmt.Errorf("look how full the event store is: %w", err)
	}
	v.Events, v.StoreBytes, v.StoreQuota = u.Events, u.Bytes, u.Quota
	stream, err := filestore.Stream(filestore.NamesIn(state).Mark)
	if err != nil {
		return v, err
	}
	if n, ok := log.Generation(stream); ok {
		v.Generation = int(n)
	}
	for _, h := range d.fleet.Heads() {
		switch {
		case h.Status != run.Over:
			v.Carried++
		case !d.archived(h.ID):
			v.Over++
		}
	}
	for _, f := range d.archive.Bundles() {
		v.Bundles = append(v.Bundles, bundleView(f))
	}
	return v, nil
}

func bundleView(f archive.File) wire.BundleView {
	v := wire.BundleView{
		File: filepath.Base(f.Path), SHA256: f.SHA256, At: f.At, Imported: f.Imported,
		Runs: f.Runs, Events: int(f.Events), Bytes: f.Bytes,
	}
	if f.Problem != nil {
		v.Problem = f.Problem.Error()
	}
	return v
}
