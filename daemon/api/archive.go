package api

import (
	"context"
	"fmt"
	"path/filepath"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/filestore"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// ArchiveList says where history is, and how much room it takes.
func (a *History) ArchiveList(ctx context.Context, _ auth.Request, _ struct{}) (wire.ArchiveView, error) {
	state := a.Places.State
	v := wire.ArchiveView{
		Dir: archive.DirIn(state), Pruned: a.HostLog.State().Pruned,
		Bundles: []wire.BundleView{},
	}
	v.Texts, v.Outputs, v.Trees = a.Removal.Takes(ctx)
	if err := ctx.Err(); err != nil {
		return v, err
	}
	u, err := a.Log.Usage(ctx)
	if err != nil {
		return v, fmt.Errorf("measure the event store: %w", err)
	}
	v.Events, v.StoreBytes, v.StoreQuota = u.Events, u.Bytes, u.Quota
	stream, err := filestore.Stream(filestore.NamesIn(state).Mark)
	if err != nil {
		return v, err
	}
	if n, ok := log.Generation(stream); ok {
		v.Generation = int(n)
	}
	for _, h := range a.Fleet.Heads() {
		switch {
		case h.Status != run.Over:
			v.Carried++
		case !a.Fleet.IsArchived(h.ID):
			v.Over++
		}
	}
	for _, f := range a.Archive.Bundles() {
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
