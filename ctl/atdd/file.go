package atdd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"autopilot/projections/atdd"
)

// mostLog bounds what is read of a file.
const mostLog = 1 << 30

func (c Call) path(p string) (string, error) {
	if p == "" {
		return "", fmt.Errorf("%w: path required", atdd.ErrInvalid)
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(c.Dir, p)
	}
	return p, nil
}

// read is a file, and whether it is there.
func (c Call) read(p string) (text []byte, there bool, err error) {
	path, err := c.path(p)
	if err != nil {
		return nil, false, err
	}
	f, err := open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", atdd.ErrCorrupt, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && info.Size() > mostLog {
		err = fmt.Errorf("%s has %d bytes", p, info.Size())
	}
	if err != nil {
		return nil, true, fmt.Errorf("%w: %w", atdd.ErrCorrupt, err)
	}
	text = make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, true, fmt.Errorf("%w: %w", atdd.ErrCorrupt, err)
	}
	return text[:n], true, nil
}

// open opens a regular file without waiting for whoever is at the other end of one
// that is none.
func open(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, how|syscall.O_NONBLOCK, 0o644) //nolint:gosec // a log that is committed, readable as other files are
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// add appends a row to a log, on a line of its own, and returns once that is on the
// disk. Two that append at once do so one after the other.
func (c Call) add(p string, row []byte) error {
	path, err := c.path(p)
	if err != nil {
		return err
	}
	f, err := open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("%w: %w", atdd.ErrInvalid, err)
	}
	defer func() { _ = f.Close() }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("%w: wait for %s: %w", atdd.ErrInvalid, p, err)
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", atdd.ErrInvalid, err)
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("%w: %w", atdd.ErrInvalid, err)
		}
		if last[0] != '\n' { // a row was cut off: this one is not to be part of it
			row = append([]byte{'\n'}, row...)
		}
	}
	if _, err := f.Write(row); err != nil {
		_ = f.Truncate(info.Size())
		return fmt.Errorf("%w: write %s: %w", atdd.ErrInvalid, p, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("%w: write %s: %w", atdd.ErrInvalid, p, err)
	}
	return nil
}

// create writes a file that is not there, whole or not at all.
func (c Call) create(p string, text []byte) error {
	path, err := c.path(p)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%w: AC pin already exists: %s; a pin is written once", atdd.ErrInvalid, p)
	}
	t, err := os.CreateTemp(filepath.Dir(path), ".pin-*")
	if err != nil {
		return fmt.Errorf("%w: %w", atdd.ErrInvalid, err)
	}
	defer func() { _ = os.Remove(t.Name()) }()
	_, err = t.Write(text)
	if err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close()); err != nil {
		return fmt.Errorf("%w: write %s: %w", atdd.ErrInvalid, p, err)
	}
	if err := os.Link(t.Name(), path); err != nil { // unless somebody else was first
		return fmt.Errorf("%w: %w", atdd.ErrInvalid, err)
	}
	return nil
}
