package daemon

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"autopilot/daemon/archive"
	"autopilot/daemon/bus"
	"autopilot/daemon/store"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// archiveList says where history is, and what it takes.
func (d *Daemon) archiveList(ctx context.Context, _ bus.Request, _ struct{}) (wire.ArchiveView, error) {
	state := d.cfg.Places.State
	v := wire.ArchiveView{
		Dir: archiveDir(state), Pruned: d.hosts.State().Pruned,
		Texts: taken(ctx, filepath.Join(state, "blobs")), Outputs: taken(ctx, filepath.Join(state, "effects")), Trees: taken(ctx, filepath.Join(state, "trees")),
		Bundles: []wire.BundleView{},
	}
	if err := ctx.Err(); err != nil {
		return v, err
	}
	u, err := d.log.Usage(ctx)
	if err != nil {
		return v, fmt.Errorf("look how full the event store is: %w", err)
	}
	v.Events, v.StoreBytes, v.StoreQuota = u.Events, u.Bytes, u.Quota
	stream, err := store.Stream(markFile(state))
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

// taken is what the files of a directory take. What goes away meanwhile, or cannot
// be read, does not count.
func taken(ctx context.Context, dir string) (r wire.Room) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // as above
		}
		if info, err := e.Info(); err == nil {
			r.Files++
			r.Bytes += info.Size()
		}
		return nil
	})
	return r
}

func archiveDir(state string) string { return filepath.Join(state, "archive") }
