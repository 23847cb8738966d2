package ctl

import (
	"path/filepath"
	"slices"
	"strings"

	"autopilot/ctl/render"
)

// outputs are the files that this command writes to, each once.
func (w *World) outputs() []string {
	var files []string
	for _, f := range []string{w.Out.File, w.Err.File} {
		if f != "" && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

// sayLeftOut names those of the outputs that lie in a workspace.
func (a *app) sayLeftOut(workspace string) {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	for _, f := range a.outputs() {
		rel, err := filepath.Rel(workspace, f)
		if err != nil || !filepath.IsLocal(rel) || strings.ContainsAny(rel, "\n\r") {
			continue
		}
		a.note(render.LeftOut(rel))
	}
}
