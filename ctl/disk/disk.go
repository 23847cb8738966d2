// Package disk reads and replaces files that other programs may touch at any time: a
// file is read whole or not at all, and replaced in one step.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Read is a regular file of at most so many bytes, and whether anything has its name. It
// waits for nobody and follows no link.
func Read(path string, most int64) (text []byte, there bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, false, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, true, fmt.Errorf("%s is a link, and links are not followed", path)
	case err != nil:
		return nil, true, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, true, err
	case !info.Mode().IsRegular():
		return nil, true, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > most:
		return nil, true, fmt.Errorf("%s has %d bytes; the limit is %d", path, info.Size(), most)
	}
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, true, err
}

// Replace writes a file through a temporary one of that pattern beside it, with the mode
// of the file before, else 0644. A synced file is on the disk when it returns.
func Replace(path, temp string, text []byte, synced bool) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removed(f.Name()))
		}
	}()
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = f.Write(text)
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
	return SyncDir(dir)
}

// removed removes a file that may have its new name already.
func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
