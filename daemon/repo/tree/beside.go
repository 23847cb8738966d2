package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostTrees bounds how many work trees of a repository are listed.
const mostTrees = 256

// Beside lists the real paths of all work trees of the repository, this one
// first, by looking at files only. One that is not there any more is left out.
func (w Workspace) Beside() ([]string, error) {
	gd, err := gitDirOf(w.Path)
	if err != nil {
		return []string{w.Path}, fmt.Errorf("list the work trees beside %s: %w", w.Path, err)
	}
	out := []string{w.Path}
	add := func(path string) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !slices.Contains(out, real) && len(out) < mostTrees {
			out = append(out, real)
		}
	}
	if filepath.Base(gd.common) == ".git" {
		add(filepath.Dir(gd.common))
	}
	linked, err := os.ReadDir(filepath.Join(gd.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("list the work trees beside %s: %w", w.Path, err)
	}
	for _, e := range linked {
		text, err := readRegular(filepath.Join(gd.common, "worktrees", e.Name(), "gitdir"), 64<<10)
		if err != nil {
			continue // it is being made, or removed
		}
		path := strings.TrimRight(string(text), "\r\n")
		if !filepath.IsAbs(path) {
			path = filepath.Join(gd.common, "worktrees", e.Name(), path)
		}
		add(filepath.Dir(path))
	}
	return out, nil
}
