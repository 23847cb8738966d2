package goals

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Bounds of what is read, in bytes.
const (
	mostPlan   = 16 << 20
	mostLedger = 256 << 20
	mostBrief  = 4 << 20
)

// read is a regular file of the directory, and whether it is there. It waits for nobody
// and follows no link.
func (s Store) read(name string, most int64) (text []byte, there bool, err error) {
	f, err := os.OpenFile(s.path(name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, true, fmt.Errorf("%s is a link, and links are not followed", s.path(name))
	case err != nil:
		return nil, true, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, true, err
	case !info.Mode().IsRegular():
		return nil, true, fmt.Errorf("%s is not a regular file", s.path(name))
	case info.Size() > most:
		return nil, true, fmt.Errorf("%s has %d bytes; the limit is %d", s.path(name), info.Size(), most)
	}
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, true, err
}

// replace puts a whole file into its place, and returns once that is on the disk.
func (s Store) replace(name string, text []byte) error {
	t, err := os.CreateTemp(s.dir(), tempOf(name))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(t.Name()) }()
	_, err = t.Write(text)
	if err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(t.Name(), s.path(name)); err != nil {
		return err
	}
	return syncDir(s.dir())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// appendFrom appends text to a file that has size bytes, and returns once it is on the
// disk. What stands behind that is the beginning of the same text, cut off.
func (s Store) appendFrom(name string, size int64, text []byte) error {
	f, err := os.OpenFile(s.path(name), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644) //nolint:gosec // as the release's, readable as other files of the project are
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, size)
	if err = errors.Join(err, f.Sync()); err != nil {
		_ = f.Truncate(size)
	}
	return errors.Join(err, f.Close())
}

// keep gives a file a second name, for which none may be there.
func (s Store) keep(name, as string) error {
	err := os.Link(s.path(name), s.path(as))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s Store) dir() string { return filepath.Join(s.Root, ".omx", "ultragoal") }

func (s Store) path(name string) string { return filepath.Join(s.dir(), name) }
