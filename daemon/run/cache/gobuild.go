package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"autopilot/daemon/run/fileid"
)

// Go's cache has two kinds of files, in folders 00 to ff: HASH-d is an output,
// named by the SHA-256 of its content, and HASH-a says which output belongs to the
// action of that hash. In a store the outputs are links into the base, and the
// actions are copies.

// isEntry says that a path below a store is one of Go's cache, with that ending.
func isEntry(rel, ending string) bool {
	rest, ok := strings.CutPrefix(rel, GoBuild+"/")
	return ok && len(rest) == len("00/")+2*sha256.Size+len(ending) && strings.HasSuffix(rest, ending)
}

// base is where an entry is in the base.
func (s *Store) base(rel string) string {
	return filepath.Join(s.Base, strings.TrimPrefix(rel, GoBuild+"/"))
}

// target is the id of the output that a link leads to; zero for all else.
func (s *Store) target(rel string, info fs.FileInfo) fileid.ID {
	if info.Mode()&fs.ModeSymlink == 0 || !isEntry(rel, "-d") {
		return fileid.ID{}
	}
	is, err := os.Stat(s.base(rel))
	if err != nil {
		return fileid.ID{}
	}
	return fileid.Of(is)
}

// sameTarget says that an output of the base is what it was. One that something has
// changed is dropped from the base, for all.
func (s *Store) sameTarget(rel string, was fileid.ID) bool {
	path := s.base(rel)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case fileid.Of(info) == was, isOutput(path, filepath.Base(rel)):
		return true
	}
	_ = os.Remove(path)
	return false
}

// isOutput says that a file has the content that its name says.
func isOutput(path, name string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil))+"-d" == name
}

// sameEntry says that a sealed file which was touched says what the base says: Go
// sets the time of actions that it uses.
func (s *Store) sameEntry(rel string, info fs.FileInfo) bool {
	if !isEntry(rel, "-a") || !info.Mode().IsRegular() || info.Size() > 1<<10 {
		return false
	}
	is, err := os.ReadFile(filepath.Join(s.Dir, rel))
	want, baseErr := os.ReadFile(s.base(rel))
	return err == nil && baseErr == nil && bytes.Equal(is, want)
}

// seed links into the store what the base has beyond it.
func (s *Store) seed() error {
	dirs, err := os.ReadDir(s.Base)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if !d.IsDir() || len(d.Name()) != 2 {
			continue
		}
		if err := s.seedDir(d.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) seedDir(name string) error {
	from, to := filepath.Join(s.Base, name), filepath.Join(s.Dir, GoBuild, name)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	has, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(has))
	for _, e := range has {
		known[e.Name()] = true
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		rel := filepath.Join(GoBuild, name, e.Name())
		switch {
		case known[e.Name()] || !e.Type().IsRegular():
		case isEntry(rel, "-d"):
			err = os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		case isEntry(rel, "-a"):
			err = copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// promote moves outputs of the store into the base, and copies actions there: first
// the outputs, so that no action ever names one that is not there.
func (s *Store) promote() error {
	dirs, err := os.ReadDir(filepath.Join(s.Dir, GoBuild))
	if err != nil {
		return ignoreMissing(err)
	}
	for _, ending := range []string{"-d", "-a"} {
		for _, d := range dirs {
			if !d.IsDir() || len(d.Name()) != 2 {
				continue
			}
			entries, err := os.ReadDir(filepath.Join(s.Dir, GoBuild, d.Name()))
			if err != nil {
				return err
			}
			for _, e := range entries {
				rel := filepath.Join(GoBuild, d.Name(), e.Name())
				if !e.Type().IsRegular() || !isEntry(rel, ending) {
					continue
				}
				if err := s.promoteEntry(rel, ending); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *Store) promoteEntry(rel, ending string) error {
	from, to := filepath.Join(s.Dir, rel), s.base(rel)
	if ending == "-a" {
		return s.promoteAction(from, to)
	}
	if !isOutput(from, filepath.Base(rel)) {
		return os.Remove(from)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(to); err == nil {
		err = os.Remove(from)
		if err != nil {
			return err
		}
	} else if err := move(from, to); err != nil {
		return err
	}
	return os.Symlink(to, from)
}

// promoteAction leaves an action that the base has as it is, unless its output is gone.
func (s *Store) promoteAction(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil || !s.hasOutput(b) {
		return err
	}
	if old, err := os.ReadFile(to); err == nil && s.hasOutput(old) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	temp := to + ".new-" + filepath.Base(s.Dir)
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, to)
}

// hasOutput says that the output which an action names is in the base.
//
// Source: cmd/go/internal/cache: "v1 <hex id> <hex out> <decimal size> <unix nanoseconds>".
func (s *Store) hasOutput(action []byte) bool {
	words := bytes.Fields(action)
	if len(words) != 5 || len(words[2]) != 2*sha256.Size {
		return false
	}
	out := string(words[2])
	info, err := os.Stat(filepath.Join(s.Base, out[:2], out+"-d"))
	return err == nil && info.Mode().IsRegular()
}

// move is a rename, also to another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	temp := to + ".new"
	if err := copyFile(from, temp); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp, to), os.Remove(from))
}

// trim drops what the base has had for long. A base that is a link belongs to
// somebody else.
func trim(base string, now time.Time) error {
	if info, err := os.Lstat(base); err != nil || !info.IsDir() {
		return ignoreMissing(err)
	}
	return filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil && now.Sub(time.Unix(0, fileid.Of(info).ChangeTime)) > kept {
			err = os.Remove(path)
		}
		return ignoreMissing(err)
	})
}
