package roll

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/snapshot"
)

// finish moves everything to its place. It may be asked again, wherever it was
// cut off.
func (r *roller) finish(ctx context.Context, c record) error {
	if err := r.takeIn(ctx, c); err != nil {
		return fmt.Errorf("archive the bundle: %w", err)
	}
	failpoint.Hit(failpoint.RollArchived)
	old := r.in("old")
	if there(filepath.Join(r.next(), "store")) {
		if err := moveAway(filepath.Join(r.state, "store"), old); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RollAside)
		if err := os.Rename(filepath.Join(r.next(), "store"), filepath.Join(r.state, "store")); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RollSwapped)
	}
	next := r.names.Next()
	for _, m := range [][2]string{{next.Mark, r.names.Mark}, {next.Seals, r.names.Seals}, {next.Sealed, r.names.Sealed}} {
		if err := os.Rename(m[0], m[1]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		failpoint.Hit(failpoint.RollMarked)
	}
	if err := os.Remove(snapshot.FileIn(r.state)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it is of the old generation
	}
	return errors.Join(durable.SyncDir(r.state), os.RemoveAll(old), os.RemoveAll(r.next()))
}

// moveAway moves what is there, and nothing that was moved before.
func moveAway(from, to string) error {
	if !there(from) {
		return nil
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// takeIn puts the bundle into the archive. The archive takes the file that it is
// given, and one that was not taken is gone with the next daemon: so it gets a
// copy.
func (r *roller) takeIn(ctx context.Context, c record) (err error) {
	if !there(r.bundle()) {
		return nil
	}
	a, err := archive.OpenArchive(archive.DirIn(r.state), r.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	tmp, err := a.Temp()
	if err != nil {
		return err
	}
	if err := copyInto(tmp, r.bundle()); err != nil {
		return err
	}
	if _, err := a.Add(ctx, tmp.Name(), false, c.At); err != nil {
		return err
	}
	return os.Remove(r.bundle())
}

func copyInto(to *os.File, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return errors.Join(err, to.Close())
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return errors.Join(err, to.Close())
}
