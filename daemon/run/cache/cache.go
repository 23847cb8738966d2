// Package cache keeps what the tools of gates download and compile, so that
// gates stay quick and code under test cannot leave anything there for later.
//
// A work tree has a folder of its own. What is in it when the gates of a run
// have seen the product as the run began with it is sealed: listed by what the
// file system says of each file. Reset removes what came or changed since, and
// is called before each later round. A folder that was never sealed is emptied.
//
// Go's compile cache takes a minute to fill, so there is a base of it for all
// work trees: Seal moves the sealed entries there, Open links them into another
// folder. Gates get the base read-only where the sandbox can do that; an entry
// of it that changed is dropped, as its name is the hash of its content.
//
// No gate of the work tree runs while a method is at work. Several work trees
// may be at work at once.
package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autopilot/daemon/run/fileid"
)

// Names of folders in a store.
const (
	GoBuild  = "go-build"
	Bytecode = "pycache" // of Python: a mirror of absolute paths
)

// kept is how long a store lives that no run has sealed again, and an entry of
// the base.
const kept = 30 * 24 * time.Hour

// Store is the caches of one work tree.
type Store struct {
	Dir    string   // that gates write to
	Base   string   // of Go's compile cache, for all work trees
	Moving []string // folders whose files change: bytecode of those is never kept
	Remove func(path string) error

	known *list // as it was read or written last
}

// BaseOf is the base below the folder of all caches.
func BaseOf(caches string) string { return filepath.Join(caches, GoBuild) }

// Open makes the store as it was sealed, and fills it from the base; goes says that
// Go will be used in it.
func (s *Store) Open(goes bool) error {
	if err := s.Reset(); err != nil {
		return err
	}
	for _, dir := range []string{s.Dir, s.Base} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("open the caches of the gates: %w", err)
		}
	}
	if goes {
		if err := s.seed(); err != nil {
			return fmt.Errorf("fill the compile cache of the gates: %w", err)
		}
	}
	return s.list()
}

// Reset removes what came or changed since the store was sealed.
func (s *Store) Reset() error {
	w := walk{store: s, list: s.sealed()}
	w.dir("")
	if len(w.errs) > 0 {
		return fmt.Errorf("clear the caches of the gates: %w", errors.Join(w.errs...))
	}
	return nil
}

// ResetBytecode is Reset for the bytecode alone: it is between two gates of a round.
func (s *Store) ResetBytecode() error {
	if _, err := os.Lstat(filepath.Join(s.Dir, Bytecode)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w := walk{store: s, list: s.sealed()}
	w.dir(Bytecode)
	if len(w.errs) > 0 {
		return fmt.Errorf("clear the bytecode of the gates: %w", errors.Join(w.errs...))
	}
	return nil
}

// Seal takes what is in the store as trusted.
func (s *Store) Seal() error {
	if err := s.promote(); err != nil {
		return fmt.Errorf("keep the compile cache of the gates: %w", err)
	}
	return s.list()
}

// Share gives to the base what was compiled in a store that is about to be dropped.
func (s *Store) Share() error { return s.promote() }

// Drop forgets the store.
func (s *Store) Drop() error {
	return errors.Join(ignoreMissing(os.Remove(s.listFile())), s.Remove(s.Dir))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// walk compares a store with its list.
type walk struct {
	store *Store
	list  list
	errs  []error
}

// dir looks at the entries of a folder. What is no folder any more, and one that is
// not listed, goes as a whole.
func (w *walk) dir(rel string) {
	dir := filepath.Join(w.store.Dir, rel)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		_ = os.Chmod(dir, 0o700) // whoever lacked the right has taken it away
		entries, err = os.ReadDir(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.drop(rel)
		return
	}
	for _, e := range entries {
		at := filepath.Join(rel, e.Name())
		switch {
		case e.IsDir() && w.list.Dirs[at]:
			w.dir(at)
		case e.IsDir() || !w.same(at):
			w.drop(at)
		}
	}
}

func (w *walk) same(rel string) bool {
	info, err := os.Lstat(filepath.Join(w.store.Dir, rel))
	if err != nil {
		return false
	}
	was, listed := w.list.Files[rel]
	if listed && was.ID == fileid.Of(info) {
		return was.Target == (fileid.ID{}) || w.store.sameTarget(rel, was.Target)
	}
	return listed && w.store.sameEntry(rel, info)
}

func (w *walk) drop(rel string) {
	if rel == "" {
		return
	}
	if err := w.store.Remove(filepath.Join(w.store.Dir, rel)); err != nil {
		w.errs = append(w.errs, err)
	}
}

// Sweep removes stores whose last seal is old, and old entries of the base.
func Sweep(caches string, now time.Time, remove func(string) error) error {
	entries, err := os.ReadDir(caches)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		id, isList := strings.CutSuffix(e.Name(), listSuffix)
		if !isList {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > kept {
			s := &Store{Dir: filepath.Join(caches, id), Remove: remove}
			errs = append(errs, s.Drop())
		}
	}
	return errors.Join(append(errs, trim(BaseOf(caches), now))...)
}
