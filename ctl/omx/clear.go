package omx

import (
	"errors"
	"os"
	"path/filepath"

	"autopilot/ctl/disk"
	"autopilot/projections/omx"
)

// Cleared is what a clear has done.
type Cleared struct {
	Mode, Path string
	Paths      []string // of all sessions
}

// Clear removes the state of a mode, also one that cannot be read. Where the root has a
// state too, a session is left a mark, so that it does not see that one.
//
// Source: oh-my-codex 0.21.6, state clear.
func (s *Store) Clear(mode, session string) (Cleared, error) {
	if err := omx.CheckName(mode); err != nil {
		return Cleared{}, err
	}
	sc, err := s.ToWrite(session)
	if err != nil {
		return Cleared{}, err
	}
	path := filepath.Join(sc.Dir, mode+ending)
	v := Cleared{Mode: mode, Path: path}
	unlock, err := s.lock()
	if err != nil {
		return v, err
	}
	defer unlock()
	_, rootErr := os.Lstat(filepath.Join(s.Base, mode+ending))
	if sc.Session != "" && mode != omx.SkillActive && rootErr == nil {
		if err := os.MkdirAll(sc.Dir, 0o755); err != nil { //nolint:gosec // a directory of the project, readable as others are
			return v, err
		}
		err = replace(path, omx.Tombstone(mode, sc.Session, omx.Stamp(s.now)), true)
	} else {
		_, err = remove(path)
	}
	if err != nil || mode == omx.SkillActive {
		return v, err
	}
	return v, s.forget(sc, mode)
}

// ClearAll removes the state of a mode in all sessions and at the root.
func (s *Store) ClearAll(mode string) (Cleared, error) {
	v := Cleared{Mode: mode, Paths: []string{}}
	if err := omx.CheckName(mode); err != nil {
		return v, err
	}
	unlock, err := s.lock()
	if err != nil {
		return v, err
	}
	defer unlock()
	scopes, err := s.all()
	if err != nil {
		return v, err
	}
	for _, sc := range scopes {
		path := filepath.Join(sc.Dir, mode+ending)
		there, err := remove(path)
		if err != nil {
			return v, err
		}
		if there {
			v.Paths = append(v.Paths, path)
		}
		if mode != omx.SkillActive {
			if err := s.forget(sc, mode); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// all are the root and the sessions.
func (s *Store) all() ([]Scope, error) {
	scopes := []Scope{s.scope("")}
	entries, err := os.ReadDir(filepath.Join(s.Base, "sessions"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && omx.CheckID(e.Name()) == nil {
			scopes = append(scopes, s.scope(e.Name()))
		}
	}
	return scopes, nil
}

// forget takes a mode out of the active skills. A list that cannot be read is left as
// it is: a clear is the way out of what is damaged.
func (s *Store) forget(sc Scope, mode string) error {
	sk, err := s.skills(sc)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	sk.note(omx.Object{}.Set("active", false).Set("current_phase", omx.Cleared), mode, sc.Session, omx.Stamp(s.now))
	return sk.write()
}

// remove removes a file or a link, and nothing that it leads to.
func remove(path string) (there bool, err error) {
	err = os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, disk.SyncDir(filepath.Dir(path))
}
