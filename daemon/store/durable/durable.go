// Package durable writes small files that have to survive a power cut.
//
// It promises what fsync does: what Write has returned from is on the disk, and
// what SyncDir has returned from is there under its name. Replace promises both,
// and that a reader finds the old content or the new one, never a part. Nobody
// but the user may read the files. It links the standard library only, as the
// supervisor of effects does.
package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes a file and syncs it, not its directory.
func Write(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Replace puts a file in its place in one step. It writes PATH.new first, so one
// file has one writer, and its directory belongs to nobody else.
func Replace(path string, b []byte) error {
	if err := Write(path+".new", b); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
