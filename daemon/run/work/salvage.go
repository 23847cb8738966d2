package work

import (
	"context"

	"autopilot/daemon/repo/tree"
)

// Salvage records a work tree under a name before it goes; see tree.Repo.Salvage.
func (w *Worker) Salvage(ctx context.Context, ws tree.Workspace, name string, ignored []string, text string, changed bool) (tree.Salvaged, error) {
	repo, err := w.repo(ctx, ws)
	if err != nil {
		return tree.Salvaged{}, err
	}
	return repo.Salvage(ctx, w.cfg.Home, name, ignored, text, changed)
}

// Trees is where recorded trees are.
func (w *Worker) Trees() tree.Config { return w.cfg.Trees }
