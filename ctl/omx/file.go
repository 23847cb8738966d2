package omx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"autopilot/projections/omx"
)

// mostState bounds a state that is read.
const mostState = 16 << 20

// readObject reads a file that is one JSON object. A link, a pipe and a directory are
// none; so is a file that was cut.
func readObject(path string) (o omx.Object, there bool, err error) {
	text, there, err := readFile(path, mostState)
	if err != nil || !there {
		return nil, there, err
	}
	o, err = omx.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if err != nil {
		return nil, true, fmt.Errorf("%s is not one JSON object, and is left as it is: %w", path, err)
	}
	return o, true, nil
}

// readFile reads a regular file of a bounded size, without waiting for whoever is at
// the other end of one that is none.
func readFile(path string, most int64) (text []byte, there bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, false, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, true, fmt.Errorf("%s is a link, and not a file: it is left as it is", path)
	case err != nil:
		return nil, true, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, true, err
	case !st.Mode().IsRegular():
		return nil, true, fmt.Errorf("%s is not a regular file: it is left as it is", path)
	case st.Size() > most:
		return nil, true, fmt.Errorf("%s has %d bytes, and at most %d are read", path, st.Size(), most)
	}
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, true, err
}

// replace writes a file so that it is there whole or not at all. A synced one is on the
// disk when it returns.
func replace(path string, o omx.Object, synced bool) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	mode := fs.FileMode(0o644)
	if st, statErr := os.Stat(path); statErr == nil {
		mode = st.Mode().Perm()
	}
	_, err = f.Write(o.Indented())
	err = errors.Join(err, f.Chmod(mode))
	if synced {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil || !synced {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockWithin bounds what a writer waits for another one (lesson O26).
const lockWithin = 10 * time.Second

// lock is the right to write the states of the workspace. It ends with its process.
func (s *Store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.Base, 0o755); err != nil { //nolint:gosec // a directory of the project, readable as others are
		return nil, err
	}
	path := filepath.Join(s.Base, ".apctl.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644) //nolint:gosec // as other files of the project
	if err != nil {
		return nil, fmt.Errorf("open the lock of the states: %w", err)
	}
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Since(start) > lockWithin {
			_ = f.Close()
			return nil, fmt.Errorf("another writer holds %s: try again: %w", path, err)
		}
	}
}
