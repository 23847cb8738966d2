package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"autopilot/daemon/store/snapshot"
)

// load opens the states of a bundle, or makes them anew.
func (a *Archive) load(f File) *held {
	info, err := os.Stat(f.Path)
	if err != nil {
		f.Problem = err
		return &held{File: f}
	}
	s, err := snapshot.Open(f.states())
	if err == nil {
		told, ok := f.told(s.Cursor())
		if ok && told.Bytes == info.Size() {
			return &held{told, s}
		}
		err = errors.Join(errors.New("it is of another bundle"), s.Close())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		a.log.Warn("make the states of a bundle anew", "bundle", f.Path, "error", err)
	}
	f.Bytes = info.Size()
	return anew(f)
}

// anew makes the states of a bundle. What can be read of a damaged one counts; its
// states are made again by the next daemon, as it may be whole then.
func anew(f File) *held {
	b, err := Open(f.Path)
	if err != nil {
		f.Problem = err
		return &held{File: f}
	}
	defer b.Close()
	f.Runs, f.Events = len(b.manifest.Runs), b.manifest.Events()
	list := readable(b.states(context.Background()), &f.Problem)
	err = snapshot.WriteStates(f.states(), f.cursor(), list)
	h := &held{File: f}
	if err == nil {
		h.states, err = snapshot.Open(f.states())
	}
	if f.Problem != nil {
		err = errors.Join(err, os.Remove(f.states()))
	}
	if h.Problem = errors.Join(f.Problem, err); err != nil {
		h.Problem = fmt.Errorf("make the states of %s: %w", f.Path, h.Problem)
	}
	return h
}

// readable goes on behind damage, and notes the first.
func readable(list iter.Seq2[snapshot.Folded, error], problem *error) iter.Seq2[snapshot.Folded, error] {
	return func(yield func(snapshot.Folded, error) bool) {
		for f, err := range list {
			if errors.Is(err, ErrDamaged) {
				if f.State.Log.Broken == 0 {
					f.State.Log.Broken = f.State.Log.Seq + 1
				}
				if *problem == nil {
					*problem = err
				}
				err = nil
			}
			if !yield(f, err) {
				return
			}
		}
	}
}
