package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/run/fileid"
)

// listSuffix ends the file beside a store in which the sealed files are listed.
// Gates that are confined do not see it.
const listSuffix = ".sealed"

// file is a sealed file; Target is what a link to the base led to.
type file struct {
	ID     fileid.ID `json:"id"`
	Target fileid.ID `json:"target,omitzero"`
}

// list is what was in a store when it was sealed, by path below it.
type list struct {
	Dirs  map[string]bool `json:"dirs"`
	Files map[string]file `json:"files"`
}

func (s *Store) listFile() string { return s.Dir + listSuffix }

// sealed is the list of the store. One that cannot be read is empty: then all is
// made anew.
func (s *Store) sealed() list {
	if s.known != nil {
		return *s.known
	}
	var l list
	b, err := os.ReadFile(s.listFile())
	if err != nil || json.Unmarshal(b, &l) != nil {
		l = list{}
	}
	s.known = &l
	return l
}

// list seals what is in the store.
func (s *Store) list() error {
	l, err := s.take()
	if err == nil {
		err = s.write(l)
	}
	if err != nil {
		return fmt.Errorf("seal the caches of the gates: %w", err)
	}
	s.known = &l
	return nil
}

// take lists what is in the store now.
func (s *Store) take() (list, error) {
	l := list{Dirs: map[string]bool{}, Files: map[string]file{}}
	err := filepath.WalkDir(s.Dir, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.Dir, path)
		switch {
		case relErr != nil || rel == ".":
			return relErr
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir // it cannot be read, so it is not kept
		case err != nil:
			return nil
		case s.moves(rel, e.IsDir()) && e.IsDir():
			return fs.SkipDir
		case e.IsDir():
			l.Dirs[rel] = true
			return nil
		case s.moves(rel, false):
			return nil
		}
		if info, err := e.Info(); err == nil {
			l.Files[rel] = file{fileid.Of(info), s.target(rel, info)}
		}
		return nil
	})
	return l, err
}

// moves says that a path holds bytecode of files that change during a run. Python
// compares a source with it by the second and the size only. Installed packages in
// the same folders stay.
func (s *Store) moves(rel string, dir bool) bool {
	mirrored, ok := strings.CutPrefix(rel, Bytecode)
	if !ok {
		return false
	}
	for _, root := range s.Moving {
		if below, ok := strings.CutPrefix(mirrored, root); ok && (below == "" || below[0] == '/') {
			return !dir && !strings.Contains(below, "/site-packages/")
		}
	}
	return false
}

func (s *Store) write(l list) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	temp := s.listFile() + ".new"
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, s.listFile())
}
