package api

import (
	"context"
	"path/filepath"

	"autopilot/daemon/repo/tree"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Find resolves the run of a request. Without a name it finds the latest run of the
// caller's workspace.
func (a *Views) Find(ctx context.Context, ref wire.RunRef) (run.State, error) {
	project := ""
	if ref.Run == "" && ref.Workspace == "" {
		return run.State{}, wire.Errorf(wire.Usage, "name a run or a directory").WithHint("apctl ls   lists the runs; name one")
	}
	if ref.Run == "" {
		ws, err := tree.Find(ctx, ref.Workspace)
		if err != nil {
			return a.findWithoutGit(ref)
		}
		project = ws.ID
	}
	return a.Fleet.Resolve(ref, project)
}

// findWithoutGit resolves the latest run of a directory, or of one above it, that is no
// longer a work tree. An agent may have removed its repository.
func (a *Views) findWithoutGit(ref wire.RunRef) (run.State, error) {
	dir, err := filepath.EvalSymlinks(ref.Workspace)
	for err == nil {
		if st, err := a.Fleet.Resolve(ref, tree.IDOf(dir)); err == nil {
			return st, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return run.State{}, wire.Errorf(wire.NotFound, "%s is not in a git work tree, so it has no run", ref.Workspace).
		WithHint("apctl ls   lists the runs; name one")
}
