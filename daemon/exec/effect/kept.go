package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Kept is a directory of an effect that is on disk.
type Kept struct {
	ID    string
	Since time.Time // when its directory was changed last
}

// Kept lists the directories of effects, by id.
func (r *Runner) Kept() ([]Kept, error) {
	entries, err := os.ReadDir(r.cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("list effects: %w", err)
	}
	var list []Kept
	for _, e := range entries {
		if !e.IsDir() || !idPattern.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was removed since
			list = append(list, Kept{ID: e.Name(), Since: info.ModTime()})
		}
	}
	return list, nil
}

// Size is the number of files in a directory, and their bytes. Of what cannot be
// read it counts nothing.
func (d Dir) Size() (files int, bytes int64) {
	_ = filepath.WalkDir(d.path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // what is gone or closed to us is not counted
		}
		if info, err := e.Info(); err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return nil
	})
	return files, bytes
}

// Discard deletes the directory of an effect that nobody will ask for, whether it
// has an outcome or not: it may never have been started, or be lost. One that
// lives is ErrUnfinished. A missing one is no error.
func (r *Runner) Discard(id string) error {
	d := r.Open(id)
	if r.atWork(id) {
		return fmt.Errorf("discard effect %s: %w", id, ErrUnfinished)
	}
	gone := filepath.Join(r.cfg.Root, removedPrefix+id)
	// Renamed first: half a directory would look like a lost effect.
	if err := os.Rename(d.Path(), gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("discard effect %s: %w", id, err)
	}
	if err := RemoveAll(gone); err != nil {
		return fmt.Errorf("discard effect %s: %w", id, err)
	}
	return nil
}

// atWork says that a Run is at work on an effect, or that its supervisor lives.
func (r *Runner) atWork(id string) bool {
	r.mu.Lock()
	busy := r.busy[id]
	r.mu.Unlock()
	for _, l := range r.Live() {
		busy = busy || l.Effect == id
	}
	return busy
}
