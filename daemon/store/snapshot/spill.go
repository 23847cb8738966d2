package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autopilot/projections/run"
)

// spill is where a fold puts states away that it is done with, so that a long
// history needs no more memory than its live runs. The file has no name.
type spill struct {
	file *os.File
	n    int64
}

// spillName is the name that the file has for a moment. It is always the same, so
// that a daemon which is killed in that moment leaves one file at most.
const spillName = "snapshot.spill"

// SpillTo lets a fold put the states of runs that are over into a file in that
// directory. Close removes it.
func (f *Fold) SpillTo(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, spillName), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("make room for states: %w", err)
	}
	f.spill = &spill{file: file}
	if err := os.Remove(file.Name()); err != nil {
		return errors.Join(fmt.Errorf("make room for states: %w", err), f.Close())
	}
	return nil
}

// Close lets go of what was put away; the fold cannot be used after it. It does
// not close the base.
func (f *Fold) Close() error {
	if f.spill == nil {
		return nil
	}
	file := f.spill.file
	f.spill = nil
	return file.Close()
}

// put puts the state of a run away.
func (f *Fold) put(id string, e *entry) error {
	e.state.ID = id
	b, err := encodeState(e.state)
	if err != nil {
		return err
	}
	if _, err := f.spill.file.WriteAt(b, f.spill.n); err != nil {
		return fmt.Errorf("put a state away: %w", err)
	}
	e.at = &place{e.head(id), f.spill.n, len(b), sumOf(b)}
	e.state = run.State{}
	f.spill.n += int64(len(b))
	return nil
}
